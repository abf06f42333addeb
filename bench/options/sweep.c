#include "bench/options/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A variable option of the command. */
struct axis {
    size_t row; /* in the option table */
    size_t n;   /* values */
};

struct sweep {
    const struct opts *opts;
    int ranks; /* 0: as in opts */
    size_t ranks_row;
    size_t count; /* cases */
    size_t n_axes;
    struct axis *axes; /* in table order: the last one varies fastest */
};

static const struct option *row_option(const struct sweep *s, size_t row) {
    return &opts_table(s->opts)->options[row];
}

enum status sweep_create(const struct opts *opts, int ranks, struct sweep **out) {
    *out = NULL;
    const struct option_table *table = opts_table(opts);
    const int command = opts_command(opts);
    struct sweep *s = calloc(1, sizeof *s);
    if (s)
        *s = (struct sweep){.opts = opts,
                            .ranks = ranks,
                            .ranks_row = opts_row(opts, "ranks"),
                            .axes = calloc(table->n_options, sizeof *s->axes)};
    if (!s || !s->axes) {
        sweep_free(s);
        return fail(ST_ENV, "out of memory while listing the cases of a sweep");
    }
    double count = 1;
    for (size_t row = 0; row < table->n_options; row++) {
        const struct option *o = &table->options[row];
        if (!o->variable || command < 0 || !(o->commands >> command & 1u))
            continue;
        const size_t n = ranks > 0 && row == s->ranks_row ? 1 : opts_row_count(opts, row);
        if (n == 0)
            continue;
        s->axes[s->n_axes++] = (struct axis){row, n};
        count *= (double)n;
    }
    if (count > SWEEP_MAX_CASES) {
        sweep_free(s);
        return fail(ST_USAGE, "the lists multiply to %.15g cases, more than %d; shorten some",
                    count, SWEEP_MAX_CASES);
    }
    s->count = (size_t)count;
    *out = s;
    return ST_OK;
}

void sweep_free(struct sweep *sweep) {
    if (!sweep)
        return;
    free(sweep->axes);
    free(sweep);
}

size_t sweep_count(const struct sweep *sweep) {
    return sweep->count;
}

/* Which of a row's values case i has: the digit of i in the mixed radix of the axes. Rows that
 * are no axis have their only value. */
static size_t value_index(const struct sweep *s, size_t i, size_t row) {
    for (size_t a = s->n_axes; a-- > 0; i /= s->axes[a].n)
        if (s->axes[a].row == row)
            return i % s->axes[a].n;
    return 0;
}

static int64_t row_int(const struct sweep *s, size_t i, size_t row) {
    if (s->ranks > 0 && row == s->ranks_row)
        return s->ranks;
    return opts_row_int(s->opts, row, value_index(s, i, row));
}

bool sweep_has(const struct sweep *sweep, size_t i, const char *name) {
    (void)i; /* a list has a value in every case or in none */
    const size_t row = opts_row(sweep->opts, name);
    return (sweep->ranks > 0 && row == sweep->ranks_row) || opts_row_count(sweep->opts, row) > 0;
}

bool sweep_flag(const struct sweep *sweep, size_t i, const char *name) {
    (void)i; /* flags take no list */
    return opts_flag(sweep->opts, name);
}

int64_t sweep_int(const struct sweep *sweep, size_t i, const char *name) {
    return row_int(sweep, i, opts_row(sweep->opts, name));
}

double sweep_real(const struct sweep *sweep, size_t i, const char *name) {
    const size_t row = opts_row(sweep->opts, name);
    return opts_row_real(sweep->opts, row, value_index(sweep, i, row));
}

const char *sweep_str(const struct sweep *sweep, size_t i, const char *name) {
    const size_t row = opts_row(sweep->opts, name);
    return opts_row_str(sweep->opts, row, value_index(sweep, i, row));
}

static void print_value(const struct sweep *s, size_t i, size_t row, FILE *out) {
    const struct option *o = row_option(s, row);
    switch (o->type) {
    case OPT_FLAG:
        fputs(opts_row_flag(s->opts, row) ? "1" : "0", out);
        return;
    case OPT_COUNT:
    case OPT_SIZE: {
        const int64_t value = row_int(s, i, row);
        if (o->automatic && value == 0)
            fputs("auto", out);
        else
            fprintf(out, "%" PRId64, value);
        return;
    }
    case OPT_DURATION:
    case OPT_REAL:
        fprintf(out, "%.15g", opts_row_real(s->opts, row, value_index(s, i, row)));
        return;
    default:
        fputs(opts_row_str(s->opts, row, value_index(s, i, row)), out);
    }
}

/* Keys and values, each with its NUL, one after the other. */
static char *print_case(const struct sweep *s, size_t i) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t a = 0; a < s->n_axes; a++) {
        for (const char *c = row_option(s, s->axes[a].row)->name; *c; c++)
            fputc(*c == '-' ? '_' : *c, out);
        fputc('\0', out);
        print_value(s, i, s->axes[a].row, out);
        fputc('\0', out);
    }
    const int failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

enum status sweep_case(const struct sweep *sweep, size_t i, struct sweep_case *out) {
    *out = (struct sweep_case){.vars = calloc(sweep->n_axes + 1, sizeof *out->vars),
                               .n = sweep->n_axes,
                               .text = print_case(sweep, i)};
    if (!out->vars || !out->text) {
        sweep_case_free(out);
        return fail(ST_ENV, "out of memory while naming a case");
    }
    const char *word = out->text;
    for (size_t a = 0; a < out->n; a++) {
        out->vars[a].key = word;
        word += strlen(word) + 1;
        out->vars[a].value = word;
        word += strlen(word) + 1;
    }
    return ST_OK;
}

void sweep_case_free(struct sweep_case *c) {
    free(c->vars);
    free(c->text);
    *c = (struct sweep_case){0};
}

char *sweep_case_name(const struct sweep *sweep, size_t i) {
    struct sweep_case c;
    if (sweep_case(sweep, i, &c) != ST_OK)
        return NULL;
    const int command = opts_command(sweep->opts);
    char *name = record_case(opts_table(sweep->opts)->commands[command].name, c.vars, c.n);
    sweep_case_free(&c);
    if (!name)
        fail(ST_ENV, "out of memory while naming a case");
    return name;
}
