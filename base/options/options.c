#include "base/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/options/values.h"
#include "base/text/suggest.h"

struct opts {
    const struct option_table *table;
    int command;
    struct option_values *initial, *given; /* one per row; n 0: none */
    const char **arguments;                /* without the command word */
    size_t n_arguments;
};

/* argv sorted into options and words; options are resolved to rows once the command is known. */
struct given {
    const char *name; /* a row's name */
    const char *text; /* its value; flags: "on" or "off" */
};

struct line {
    struct given *given;
    size_t n_given;
    const char **words;
    size_t n_words;
};

const struct option *option_find(const struct option_table *table, const char *name, int command) {
    const struct option *first = NULL;
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (strcmp(o->name, name) != 0)
            continue;
        if (option_belongs(o, command))
            return o;
        if (!first)
            first = o;
    }
    return first;
}

static const struct option *find_letter(const struct option_table *table, char letter) {
    for (size_t i = 0; letter && i < table->n_options; i++)
        if (table->options[i].letter == letter)
            return &table->options[i];
    return NULL;
}

static int find_command(const struct option_table *table, const char *word) {
    for (size_t i = 0; i < table->n_commands; i++)
        if (strcmp(table->commands[i]->name, word) == 0)
            return (int)i;
    return -1;
}

static enum status unknown_option(const struct option_table *table, const char *arg,
                                  const char *name) {
    struct suggestion near = {.word = name};
    for (size_t i = 0; i < table->n_options; i++)
        if (!table->options[i].hidden)
            suggest_consider(&near, table->options[i].name);
    if (near.best)
        return fail(ST_USAGE, "unknown option '%s'; did you mean '--%s'?", arg, near.best);
    return fail(ST_USAGE, "unknown option '%s'; see '%s --help'", arg, table->program);
}

/* The option at argv[*i]; *i moves on when its value is the next argument. */
static enum status read_option(const struct option_table *table, int argc, char *const argv[],
                               int *i, struct given *given) {
    const char *const arg = argv[*i];
    const bool is_long = arg[1] == '-';
    char name[64];
    const char *value = NULL; /* attached */
    const struct option *o;
    bool on = true;
    if (is_long) {
        const size_t len = strcspn(arg + 2, "=");
        snprintf(name, sizeof name, "%.*s", (int)(len < 64 ? len : 63), arg + 2);
        value = arg[2 + len] ? arg + 2 + len + 1 : NULL;
        o = option_find(table, name, -1);
        if (!o && strncmp(name, "no-", 3) == 0) {
            o = option_find(table, name + 3, -1);
            if (o && o->type != OPT_FLAG)
                return fail(ST_USAGE, "'%s': --%s takes a value, it has no --no- form", arg,
                            o->name);
            on = false;
        }
    } else {
        snprintf(name, sizeof name, "%c", arg[1]);
        value = arg[2] ? arg + 2 + (arg[2] == '=') : NULL;
        o = find_letter(table, arg[1]);
    }
    if (!o)
        return unknown_option(table, arg, name);
    given->name = o->name;
    if (o->type == OPT_FLAG) {
        given->text = on ? "on" : "off";
        return value ? fail(ST_USAGE, "'%s': --%s takes no value", arg, o->name) : ST_OK;
    }
    const char *const next = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (!value && next && (next[0] != '-' || !next[1])) { /* a lone "-" is a value */
        value = next;
        ++*i;
    }
    given->text = value;
    if (value && *value)
        return ST_OK;
    char allowed[1024];
    option_describe(o, allowed, sizeof allowed);
    return fail(ST_USAGE, "--%s needs a value: it takes %s", o->name, allowed);
}

static enum status split_line(const struct option_table *table, int argc, char *const argv[],
                              struct line *line) {
    bool ended = false;
    for (int i = 1; i < argc; i++) {
        if (ended || argv[i][0] != '-' || !argv[i][1]) {
            line->words[line->n_words++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            continue;
        }
        const enum status st = read_option(table, argc, argv, &i, &line->given[line->n_given]);
        if (st)
            return st;
        line->n_given++;
    }
    return ST_OK;
}

static enum status foreign_option(const struct opts *opts, const char *name) {
    const struct option_table *t = opts->table;
    char takers[256] = "";
    for (size_t c = 0; c < t->n_commands; c++) {
        const struct option *o = option_find(t, name, (int)c);
        if (!option_belongs(o, (int)c))
            continue;
        const size_t used = strlen(takers);
        snprintf(takers + used, sizeof takers - used, "%s%s", used ? ", " : "",
                 t->commands[c]->name);
    }
    return fail(ST_USAGE, "'%s' does not take --%s; these commands do: %s",
                t->commands[opts->command]->name, name, takers);
}

/* Values that hold: those given, or the default. */
static const struct option_values *values_of(const struct opts *opts, size_t row) {
    return opts->given[row].n ? &opts->given[row] : &opts->initial[row];
}

/* Defaults of all rows, and what was given; *standalone: a flag that needs no command is on. */
static enum status set_values(struct opts *opts, const struct line *line, bool *standalone) {
    const struct option_table *t = opts->table;
    for (size_t i = 0; i < t->n_options; i++) {
        const struct option *o = &t->options[i];
        const char *initial = o->initial ? o->initial : o->type == OPT_FLAG ? "off" : NULL;
        const enum status st = initial ? option_values_parse(o, initial, &opts->initial[i]) : ST_OK;
        if (st)
            return st;
    }
    for (size_t i = 0; i < line->n_given; i++) {
        const struct option *o = option_find(t, line->given[i].name, opts->command);
        if (opts->command >= 0 && !option_belongs(o, opts->command))
            return foreign_option(opts, o->name);
        const enum status st =
            option_values_parse(o, line->given[i].text, &opts->given[o - t->options]);
        if (st)
            return st;
    }
    for (size_t i = 0; i < t->n_options; i++)
        if (t->options[i].standalone)
            *standalone |= values_of(opts, i)->v[0].i != 0;
    return ST_OK;
}

static enum status unknown_command(const struct option_table *table, const char *word) {
    char names[512] = "";
    struct suggestion near = {.word = word};
    for (size_t i = 0; i < table->n_commands; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 table->commands[i]->name);
        suggest_consider(&near, table->commands[i]->name);
    }
    if (*word && near.best)
        return fail(ST_USAGE, "unknown command '%s'; did you mean '%s'?", word, near.best);
    if (*word)
        return fail(ST_USAGE, "unknown command '%s'; the commands are %s", word, names);
    return fail(ST_USAGE, "no command given: say one of %s, or see '%s --help'", names,
                table->program);
}

static enum status check_words(const struct opts *opts, const struct line *line, bool standalone) {
    if (opts->command < 0) {
        if (standalone && line->n_words == 0)
            return ST_OK;
        return unknown_command(opts->table, line->n_words ? line->words[0] : "");
    }
    const struct option_command *c = opts->table->commands[opts->command];
    const int n = (int)opts->n_arguments;
    if (n > c->max_arguments)
        return fail(ST_USAGE, "'%s': unexpected argument '%s'; usage: %s %s [options] %s", c->name,
                    opts->arguments[c->max_arguments], opts->table->program, c->name, c->arguments);
    if (n < c->min_arguments && !standalone)
        return fail(ST_USAGE, "'%s' needs %d argument%s, not %d; usage: %s %s [options] %s",
                    c->name, c->min_arguments, c->min_arguments == 1 ? "" : "s", n,
                    opts->table->program, c->name, c->arguments);
    return ST_OK;
}

static struct opts *new_opts(const struct option_table *table, size_t room) {
    struct opts *opts = calloc(1, sizeof *opts);
    if (!opts)
        return NULL;
    *opts = (struct opts){.table = table,
                          .command = -1,
                          .initial = calloc(table->n_options, sizeof *opts->initial),
                          .given = calloc(table->n_options, sizeof *opts->given),
                          .arguments = calloc(room, sizeof *opts->arguments)};
    if (opts->initial && opts->given && opts->arguments)
        return opts;
    opts_free(opts);
    return NULL;
}

static enum status read_line(struct opts *opts, struct line *line, int argc, char *const argv[]) {
    bool standalone = false;
    enum status st = split_line(opts->table, argc, argv, line);
    if (st)
        return st;
    if (line->n_words) {
        opts->command = find_command(opts->table, line->words[0]);
        opts->n_arguments = line->n_words - 1;
        memcpy(opts->arguments, line->words + 1, opts->n_arguments * sizeof *line->words);
    }
    st = set_values(opts, line, &standalone);
    return st ? st : check_words(opts, line, standalone);
}

enum status opts_parse(const struct option_table *table, int argc, char *const argv[],
                       struct opts **out) {
    *out = NULL;
    const size_t room = argc > 0 ? (size_t)argc : 1;
    struct line line = {.given = calloc(room, sizeof *line.given),
                        .words = calloc(room, sizeof *line.words)};
    struct opts *opts = new_opts(table, room);
    enum status st;
    if (line.given && line.words && opts)
        st = read_line(opts, &line, argc, argv);
    else
        st = fail(ST_ENV, "out of memory while reading the command line");
    free(line.given);
    free(line.words);
    if (st)
        opts_free(opts);
    else
        *out = opts;
    return st;
}

void opts_free(struct opts *opts) {
    if (!opts)
        return;
    for (size_t i = 0; opts->initial && opts->given && i < opts->table->n_options; i++) {
        option_values_free(&opts->initial[i]);
        option_values_free(&opts->given[i]);
    }
    free(opts->initial);
    free(opts->given);
    free(opts->arguments);
    free(opts);
}

int opts_command(const struct opts *opts) {
    return opts->command;
}

const struct option_table *opts_table(const struct opts *opts) {
    return opts->table;
}

size_t opts_n_arguments(const struct opts *opts) {
    return opts->n_arguments;
}

const char *opts_argument(const struct opts *opts, size_t i) {
    return i < opts->n_arguments ? opts->arguments[i] : NULL;
}

size_t opts_count(const struct opts *opts, size_t row) {
    return values_of(opts, row)->n;
}

bool opts_given(const struct opts *opts, size_t row) {
    return opts->given[row].n > 0;
}

const char *opts_text(const struct opts *opts, size_t row) {
    return values_of(opts, row)->copy;
}

void opts_store_value(const struct opts *opts, size_t row, size_t i, void *fields) {
    option_store(&opts->table->options[row], &values_of(opts, row)->v[i], 1, fields);
}

void opts_store_default(const struct opts *opts, size_t row, void *fields) {
    option_store(&opts->table->options[row], opts->initial[row].v, opts->initial[row].n, fields);
}

void opts_store(const struct opts *opts, void *fields) {
    const struct option_table *t = opts->table;
    for (size_t i = t->n_options; i-- > 0;)
        opts_store_default(opts, i, fields);
    for (size_t i = 0; i < t->n_options; i++) {
        const struct option *o = &t->options[i];
        const bool given = opts_given(opts, i);
        if (!given && !option_belongs(o, opts->command))
            continue;
        option_store(o, values_of(opts, i)->v, values_of(opts, i)->n, fields);
        memcpy((char *)fields + o->given, &given, sizeof given);
    }
}
