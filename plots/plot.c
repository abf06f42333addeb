#include "plots/plot.h"

#include "plots/draw.h"
#include "plots/kinds.h"
#include "plots/phases.h"
#include "results/record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum status draw_charts(struct album *album, const json_t *records) {
    for (const struct chart_kind *kind = chart_kinds; kind->name; kind++) {
        struct chart chart;
        enum status st = chart_collect(records, kind, &chart);
        if (st == ST_OK && chart.n == 0)
            note("picture %s: skipped, no %s record has data for it", kind->name, kind->kind);
        if (st == ST_OK)
            st = draw_chart(album, kind, &chart);
        chart_free(&chart);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

enum status plot_records(const json_t *records, const struct plot_options *options) {
    char *scripts = realpath(options->data_dir, NULL);
    if (!scripts)
        return fail(ST_ENV, "folder of gnuplot scripts %s: %s; install spbench again",
                    options->data_dir, strerror(errno));
    struct album album = {.options = options, .scripts = scripts};
    enum status st = ST_OK;
    if (mkdir(options->out_dir, 0777) != 0 && errno != EEXIST)
        st = fail(ST_ENV, "folder of pictures %s: %s", options->out_dir, strerror(errno));
    if (st == ST_OK)
        st = draw_charts(&album, records);
    if (st == ST_OK)
        st = draw_phases(&album, records);
    if (st == ST_OK && album.pictures == 0)
        st = fail(ST_USAGE, "nothing to draw: no record has data for any picture");
    free(scripts);
    return st;
}

enum status plot_run(const char *run_dir, const struct plot_options *options) {
    json_t *records;
    enum status st = records_load(run_dir, &records);
    if (st != ST_OK)
        return st;
    char path[PATH_MAX];
    struct plot_options with_dir = *options;
    const int n = snprintf(path, sizeof path, "%s/plots", run_dir);
    if (!options->out_dir)
        with_dir.out_dir = path;
    struct stat info;
    if (!options->out_dir && (stat(run_dir, &info) != 0 || !S_ISDIR(info.st_mode)))
        st = fail(ST_USAGE, "%s is not a run folder; say where the pictures go", run_dir);
    else if (n < 0 || (size_t)n >= sizeof path)
        st = fail(ST_USAGE, "path of %zu characters is too long", strlen(run_dir));
    else
        st = plot_records(records, &with_dir);
    json_decref(records);
    return st;
}
