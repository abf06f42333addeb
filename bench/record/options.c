#include "bench/record/options.h"

#include "results/record/record.h"

static void record_row(const struct option *row, const struct options *options, json_t *record) {
    char buf[32];
    const union option_value value = option_load(row, options);
    if (row->type == OPT_CHOICE || row->type == OPT_STRING)
        record_param_str(record, row->key, option_text(row, options, buf));
    else if (row->type == OPT_REAL || row->type == OPT_DURATION)
        record_param_real(record, row->key, value.real);
    else if (row->type != OPT_FLAG || value.i)
        record_param_int(record, row->key, value.i);
}

void options_record(const struct options *options, const char *const *scope, json_t *record) {
    const struct option_table *table = opts_table(options->line);
    const int command = opts_command(options->line);
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *row = &table->options[i];
        if (row->recorded >> command & 1u && option_in_scope(row, scope) &&
            opts_count(options->line, i) > 0)
            record_row(row, options, record);
    }
}
