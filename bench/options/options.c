#include "bench/options/options.h"

#include <stdlib.h>
#include <string.h>

enum status options_parse(const struct option_table *table, int argc, char *const argv[],
                          struct options *out) {
    struct opts *line;
    *out = (struct options){0};
    const enum status st = opts_parse(table, argc, argv, &line);
    if (st != ST_OK)
        return st;
    opts_store(line, out);
    out->line = line;
    if (opts_command(line) >= 0)
        out->command = (const struct command *)table->commands[opts_command(line)];
    return ST_OK;
}

void options_free(struct options *options) {
    opts_free((struct opts *)options->line);
    *options = (struct options){0};
}

bool option_in_scope(const struct option *row, const char *const *scope) {
    if (!row->scoped)
        return true;
    for (; scope && *scope; scope++)
        if (strcmp(*scope, row->key) == 0)
            return true;
    return false;
}

void options_keep(struct options *options, const char *const *scope) {
    const struct option_table *table = opts_table(options->line);
    for (size_t row = 0; row < table->n_options; row++)
        if (!option_in_scope(&table->options[row], scope))
            opts_store_default(options->line, row, options);
}

const char **options_swept(const struct options *options) {
    const struct option_table *table = opts_table(options->line);
    const int command = opts_command(options->line);
    const char **keys = calloc(table->n_options + 1, sizeof *keys);
    size_t n = 0;
    for (size_t row = 0; keys && row < table->n_options; row++) {
        const struct option *o = &table->options[row];
        if (o->variable && option_belongs(o, command) && opts_count(options->line, row) > 1)
            keys[n++] = o->key;
    }
    return keys;
}
