/* The option table: one row per option feeds the parser, the struct that programs read, validation,
 * --help, the man page and shell completion.
 *
 * What is parsed is read as fields: a row says where in a struct of the program its value belongs,
 * and several rows may fill one field. Rows of one name may differ between commands (disjoint
 * `commands`), as `--output` does; all of them are flags or none is, and they share their letter.
 */
#ifndef SPB_BASE_OPTIONS_OPTIONS_H
#define SPB_BASE_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

enum option_type {
    OPT_FLAG,     /* --name, --no-name */
    OPT_COUNT,    /* whole number, suffixes k, m, g */
    OPT_SIZE,     /* bytes */
    OPT_DURATION, /* seconds */
    OPT_REAL,     /* number or percentage */
    OPT_CHOICE,   /* one of the row's names */
    OPT_STRING,
    OPT_TYPES
};

/* A name that can be chosen, and what it means to the program: a row of a table, or a number. */
struct option_choice {
    const char *name;
    int number;
    const void *row;
};

union option_value {
    int64_t i;                   /* COUNT, SIZE; FLAG: 0 or 1 */
    double real;                 /* REAL, DURATION (seconds) */
    const char *s;               /* STRING */
    struct option_choice choice; /* CHOICE */
};

/* All values of an option: the field of one of which they are wanted together. */
struct option_list {
    size_t n;
    const union option_value *v; /* [n] */
};

struct option {
    const char *name; /* without dashes */
    const char *key;  /* the name in cases and records, with '_' for '-' */
    enum option_type type;
    /* The field, which has the size of a struct option_list; or of a pointer (STRING; CHOICE of
     * rows); or is a double (REAL, DURATION), or a whole number of 1, 4 or 8 bytes; and a bool: was
     * it given? Without a value and a default the field is zero. */
    size_t offset, size, given;
    unsigned commands;   /* bit i: commands[i] of the table takes it */
    unsigned recorded;   /* bit i: ... and its records have the value as a parameter */
    char letter;         /* 0: none */
    bool list;           /* takes "a,b,c"; counts and sizes take ranges too */
    bool automatic;      /* counts and sizes: the word "auto" is a value, and reads as 0 */
    bool variable;       /* an independent variable of a case: swept if a list, part of its name */
    bool scoped;         /* means something only to those rows of another table that list it */
    bool handed_on;      /* a command that runs others gives it to those that take it */
    bool standalone;     /* flags: needs neither a command nor its arguments (--help) */
    bool hidden;         /* left out of help, man page and completion */
    const char *value;   /* what stands for the value in help: "N", "DIR" */
    const char *initial; /* the default, as typed; NULL: none. Flags: "on" or NULL */
    double min, max;     /* of numbers; max 0: no limit */
    const struct option_choice *choices;      /* ends with one without a name; or ... */
    struct option_choice (*choice)(size_t i); /* ... the i-th of a table */
    const char *(*check)(const char *value);  /* strings: NULL, or what would be allowed */
    const char *group;                        /* heading in help; rows of a group stand together */
    const char *help; /* a phrase without a full stop; choices and default are added to it */
};

struct option_command {
    const char *name;
    const char *help;
    const char *arguments; /* positional arguments in help: "BASE NEW"; "" if none */
    int min_arguments, max_arguments;
};

struct option_table {
    const char *program;
    const char *summary; /* one line */
    const struct option *options;
    size_t n_options;
    const struct option_command *const *commands;
    size_t n_commands;
};

struct opts; /* what a command line says: the values of every row, given or default */

/* Parses argv[1..argc-1]: options before, after and between the command word and its arguments,
 * "--" ends options, the last of a repeated option wins. Logs and returns ST_USAGE when an option
 * is unknown (with the nearest name), belongs to other commands, or has a value that is not
 * allowed; these come before complaints about a missing command or arguments. *out refers to
 * table and argv, which must outlive it, and is released with opts_free(); NULL on failure. */
enum status opts_parse(const struct option_table *table, int argc, char *const argv[],
                       struct opts **out);
void opts_free(struct opts *opts); /* NULL is allowed */

/* Index into table->commands, -1: none (a standalone flag was given). */
int opts_command(const struct opts *opts);
const struct option_table *opts_table(const struct opts *opts);

/* Positional arguments after the command word. */
size_t opts_n_arguments(const struct opts *opts);
const char *opts_argument(const struct opts *opts, size_t i);

/* Fills the fields of a program's struct: of every row that the command takes the first value or
 * its default, of other fields the default of the first row. Values point into opts. */
void opts_store(const struct opts *opts, void *fields);

/* The same of one row, an index into the table's options: its i-th value; its default. */
void opts_store_value(const struct opts *opts, size_t row, size_t i, void *fields);
void opts_store_default(const struct opts *opts, size_t row, void *fields);

size_t opts_count(const struct opts *opts, size_t row);     /* values; 0: none, no default */
bool opts_given(const struct opts *opts, size_t row);       /* on the command line? */
const char *opts_text(const struct opts *opts, size_t row); /* ... as it was; no lists */

static inline bool option_belongs(const struct option *option, int command) {
    return command >= 0 && (option->commands >> command & 1u);
}

/* Row of that name that the command takes, else the first row of that name, else NULL. command
 * may be -1. */
const struct option *option_find(const struct option_table *table, const char *name, int command);

/* The i-th choice of a row, without a name past the end. */
struct option_choice option_choice(const struct option *option, size_t i);

/* What a row's field holds; of a list the first. And as text, as a case is named: numbers plain,
 * flags 0 or 1, "auto" where it is a value. buf is used where it must be. */
union option_value option_load(const struct option *option, const void *fields);
const char *option_text(const struct option *option, const void *fields, char buf[32]);

/* Help of one command, or with command -1 of the program. */
void opts_help(const struct option_table *table, int command, FILE *out);

/* A man page (roff, man macros) and a bash completion script for the whole table. */
void opts_man(const struct option_table *table, const char *version, FILE *out);
void opts_bash_completion(const struct option_table *table, FILE *out);

#endif
