/* report: saved records once more, as they were printed when they were measured or in another
 * format. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/options/command.h"
#include "bench/output/run_output.h"
#include "results/record/record.h"
#include "results/text/case_label.h"

static enum status load_all(const struct opts *line, json_t *records) {
    enum status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < opts_n_arguments(line); i++) {
        json_t *some = NULL;
        st = records_load(opts_argument(line, i), &some);
        if (st == ST_OK && json_array_extend(records, some) != 0)
            st = fail(ST_ENV, "out of memory for records");
        json_decref(some);
    }
    if (st == ST_OK && json_array_size(records) == 0)
        st = fail(ST_USAGE, "%s holds no record: its run ended before the first was finished",
                  opts_argument(line, 0));
    return st;
}

/* What cases differ in, per kind as case_differences() has it; NULL when out of memory. */
static json_t *differences_of(const json_t *records) {
    const size_t n = json_array_size(records);
    const char **names = calloc(n + 1, sizeof *names);
    json_t *differences = NULL;
    for (size_t i = 0; names && i < n; i++)
        names[i] = record_str(json_array_get(records, i), NULL, "case");
    if (names)
        differences = case_differences(names, n);
    free(names);
    return differences;
}

/* All keys of differences, which owns them, ending with NULL; the caller frees the list. */
static const char **keys_of(json_t *differences) {
    const char *kind, *key, **keys = NULL;
    json_t *entry, *value;
    size_t n = 0;
    json_object_foreach(differences, kind, entry) {
        json_object_foreach(json_object_get(entry, "keys"), key, value) {
            const char **more = realloc(keys, (n + 2) * sizeof *keys);
            if (!more) {
                free(keys);
                return NULL;
            }
            keys = more;
            keys[n++] = key;
            keys[n] = NULL;
        }
    }
    return keys;
}

static enum status print(const struct run_output_config *config, const json_t *records) {
    struct run_output *output;
    json_t *record;
    size_t i;
    enum status st = run_output_open(config, &output);
    json_array_foreach(records, i, record) {
        if (st == ST_OK)
            st = run_output_record(output, record);
    }
    const enum status closed = run_output_close(output);
    return st == ST_OK ? closed : st;
}

static enum status report(const struct options *options, const char *data_dir) {
    (void)data_dir;
    json_t *records = json_array();
    enum status st = load_all(options->line, records);
    json_t *differences = st == ST_OK ? differences_of(records) : NULL;
    const char **keys = keys_of(differences);
    if (st == ST_OK && (!differences || !keys))
        st = fail(ST_ENV, "out of memory for records");
    const struct run_output_config config = {.options = options, .out = stdout, .swept = keys};
    if (st == ST_OK)
        st = print(&config, records);
    free(keys);
    json_decref(differences);
    json_decref(records);
    return st;
}

const struct command report_command = {
    .word = {"report", "Prints the records of runs, in any format", "RUN_DIR...", 1, 64},
    .local = report,
};
