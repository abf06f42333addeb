/* report: saved records once more, as they were printed when they were measured or in another
 * format. */
#include <stdio.h>

#include "bench/commands.h"
#include "bench/report.h"
#include "results/record.h"

static enum status report_all(struct report *report, const char *path) {
    json_t *records, *record;
    size_t i;
    enum status st = records_load(path, &records);
    json_array_foreach(records, i, record) {
        if (st == ST_OK)
            st = report_record(report, record);
    }
    json_decref(records);
    return st;
}

enum status report_local(const struct opts *opts, const char *data_dir) {
    (void)data_dir;
    const struct report_config config = {.opts = opts, .out = stdout};
    struct report *report;
    enum status st = report_open(&config, &report);
    for (size_t i = 0; st == ST_OK && i < opts_n_arguments(opts); i++)
        st = report_all(report, opts_argument(opts, i));
    const enum status closed = report_close(report);
    return st == ST_OK ? closed : st;
}
