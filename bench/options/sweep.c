#include "bench/options/sweep.h"

#include <stdlib.h>
#include <string.h>

/* A variable option of the command. */
struct axis {
    size_t row; /* in the option table */
    size_t n;   /* values */
};

struct sweep {
    const struct options *options;
    const struct option_table *table;
    union option_value ranks; /* those of this launch; 0: as in options */
    size_t count;             /* cases */
    size_t n_axes;
    struct axis *axes; /* in table order: the last one varies fastest */
};

static bool is_ranks(const struct option *o) {
    return o->offset == offsetof(struct options, ranks);
}

enum status sweep_create(const struct options *options, int ranks, struct sweep **out) {
    *out = NULL;
    const struct option_table *table = opts_table(options->line);
    const int command = opts_command(options->line);
    struct sweep *s = calloc(1, sizeof *s);
    if (s)
        *s = (struct sweep){.options = options,
                            .table = table,
                            .ranks.i = ranks,
                            .axes = calloc(table->n_options, sizeof *s->axes)};
    if (!s || !s->axes) {
        sweep_free(s);
        return fail(ST_ENV, "out of memory while listing the cases of a sweep");
    }
    double count = 1;
    for (size_t row = 0; row < table->n_options; row++) {
        const struct option *o = &table->options[row];
        const size_t n = ranks > 0 && is_ranks(o) ? 1 : opts_count(options->line, row);
        if (!o->variable || !option_belongs(o, command) || n == 0)
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

const struct option *sweep_axis(const struct sweep *sweep, size_t a, size_t *values) {
    if (a >= sweep->n_axes)
        return NULL;
    *values = sweep->axes[a].n;
    return &sweep->table->options[sweep->axes[a].row];
}

/* Which values case i has: the digits of i in the mixed radix of the axes. */
void sweep_options(const struct sweep *s, size_t i, struct options *out) {
    *out = *s->options;
    for (size_t a = s->n_axes; a-- > 0; i /= s->axes[a].n)
        opts_store_value(s->options->line, s->axes[a].row, i % s->axes[a].n, out);
    if (s->ranks.i > 0)
        out->ranks = (struct option_list){1, &s->ranks};
}

/* Keys and values, each with its NUL, one after the other. */
static char *print_case(const struct sweep *s, const struct options *options) {
    char *text = NULL, buf[32];
    size_t size = 0, values;
    const struct option *o;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t a = 0; (o = sweep_axis(s, a, &values)); a++)
        fprintf(out, "%s%c%s%c", o->key, '\0', option_text(o, options, buf), '\0');
    const int failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

enum status sweep_case(const struct sweep *sweep, const struct options *options,
                       struct sweep_case *out) {
    *out = (struct sweep_case){.vars = calloc(sweep->n_axes + 1, sizeof *out->vars),
                               .n = sweep->n_axes,
                               .text = print_case(sweep, options)};
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

char *sweep_case_name(const struct sweep *sweep, const struct options *options) {
    struct sweep_case c;
    if (sweep_case(sweep, options, &c) != ST_OK)
        return NULL;
    const int command = opts_command(options->line);
    char *name = record_case(sweep->table->commands[command]->name, c.vars, c.n);
    sweep_case_free(&c);
    if (!name)
        fail(ST_ENV, "out of memory while naming a case");
    return name;
}
