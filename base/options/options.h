/* The option table: one row per option feeds the parser, validation, --help, the man page and
 * shell completion.
 *
 * Rows of one name may differ between commands (disjoint `commands`), as `--output` does; all of
 * them are flags or none is, and they share their letter. */
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

struct option {
    const char *name; /* without dashes */
    enum option_type type;
    unsigned commands;   /* bit i: commands[i] of the table takes it */
    char letter;         /* 0: none */
    bool list;           /* takes "a,b,c"; counts and sizes take ranges too */
    bool automatic;      /* counts and sizes: the word "auto" is a value, and reads as 0 */
    bool variable;       /* an independent variable of a case: swept if a list, part of its name */
    bool standalone;     /* flags: needs neither a command nor its arguments (--help) */
    bool hidden;         /* left out of help, man page and completion */
    const char *value;   /* what stands for the value in help: "N", "DIR" */
    const char *initial; /* the default, as typed; NULL: none. Flags: "on" or NULL */
    double min, max;     /* of numbers; max 0: no limit */
    const char *const *choices;              /* ends with NULL; or ... */
    const char *(*choice)(size_t i);         /* ... the i-th name of a table, NULL past its end */
    const char *(*check)(const char *value); /* strings: NULL, or what would be allowed */
    const char *group;                       /* heading in help; rows of a group stand together */
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
    const struct option_command *commands;
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

/* Access by name. A name that no row has, a type that the row has not, or an index past
 * opts_count() is a bug in the caller and aborts with a message. A row of the command is
 * preferred; options of other commands have their defaults. */
bool opts_is_set(const struct opts *opts, const char *name);  /* given on the command line? */
size_t opts_count(const struct opts *opts, const char *name); /* values; 0: none, no default */
bool opts_flag(const struct opts *opts, const char *name);
int64_t opts_int(const struct opts *opts, const char *name, size_t i);     /* COUNT, SIZE */
double opts_real(const struct opts *opts, const char *name, size_t i);     /* REAL, DURATION */
const char *opts_str(const struct opts *opts, const char *name, size_t i); /* CHOICE, STRING */

/* The same by row, for code that walks the table (sweeps). */
size_t opts_row(const struct opts *opts, const char *name); /* index of the row meant by name */
size_t opts_row_count(const struct opts *opts, size_t row);
int64_t opts_row_int(const struct opts *opts, size_t row, size_t i);
double opts_row_real(const struct opts *opts, size_t row, size_t i);
const char *opts_row_str(const struct opts *opts, size_t row, size_t i);
bool opts_row_flag(const struct opts *opts, size_t row);

/* The i-th name that a choice row allows, NULL past the end. */
const char *option_choice(const struct option *option, size_t i);

/* Help of one command, or with command -1 of the program. */
void opts_help(const struct option_table *table, int command, FILE *out);

/* A man page (roff, man macros) and a bash completion script for the whole table. */
void opts_man(const struct option_table *table, const char *version, FILE *out);
void opts_bash_completion(const struct option_table *table, FILE *out);

#endif
