#include "plots/plot.h"

#include "plots/draw.h"
#include "results/record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const attn_page_params[] = {
    "model", "heads", "kv_heads",  "head_dim",      "hidden", "batch", "pass",
    "dtype", "mask",  "core_only", "dp_shard_size", "device", NULL};
static const char *const attn_line[] = {"method", "sp_size", NULL};
const char *const attn_extra_params[] = {
    "layout",    "ulysses_size", "ring_size", "inner",      "placement", "transport",
    "mpi_algo",  "kernel",       "threads",   "grad_dtype", "overlap",   "fuse_qkv",
    "kv_groups", "cache",        "wait",      "sync",       NULL};
static const char *const comm_page[] = {"device", "dtype", "cache", NULL};
/* By the algorithm that was asked for: the one that was chosen may change along a line. */
static const char *const comm_line[] = {"op", "transport", "mpi_algo", "world_size", NULL};
static const char *const shape_page[] = {"device", "dtype",    "cache",    "model",
                                         "heads",  "kv_heads", "head_dim", NULL};
static const char *const shape_line[] = {"op", "pass", "transport", "mpi_algo", "world_size", NULL};
static const char *const shape_extra[] = {
    "sp_size",      "dp_shard_size", "batch", "placement", "grad_dtype",     "wait", "sync",
    "ulysses_size", "ring_size",     "inner", "fuse_qkv",  "ring_direction", NULL};
static const char *const comm_extra[] = {"pass", "sp_size", "dp_shard_size",  "placement",
                                         "wait", "sync",    "ring_direction", NULL};

static const struct chart_kind charts[] = {
    {
        .name = "bandwidth",
        .kind = "comm",
        .title = "Bandwidth by message size",
        .x = {"params", "bytes"},
        .y = {"metrics", "busbw_gb_s"},
        .without = "seq",
        .is_rate = true,
        .page_params = comm_page,
        .line_params = comm_line,
        .extra_params = comm_extra,
    },
    {
        .name = "bandwidth_model",
        .kind = "comm",
        .title = "Bandwidth of model-shaped exchanges",
        .x = {"metrics", "bytes_sent_per_rank"},
        .y = {"metrics", "busbw_gb_s"},
        .with = "seq",
        .is_rate = true,
        .page_params = shape_page,
        .line_params = shape_line,
        .extra_params = shape_extra,
    },
    {
        .name = "tokens",
        .kind = "attn",
        .title = "Throughput",
        .x = {"params", "seq"},
        .y = {"metrics", "tokens_per_s"},
        .is_rate = true,
        .page_params = attn_page_params,
        .line_params = attn_line,
        .extra_params = attn_extra_params,
    },
    {
        .name = "memory",
        .kind = "attn",
        .title = "Peak memory",
        .x = {"params", "seq"},
        .y = {"metrics", "peak_mem_bytes"},
        .predicted = {"metrics", "predicted_mem_bytes"},
        .page_params = attn_page_params,
        .line_params = attn_line,
        .extra_params = attn_extra_params,
    },
};

enum status plot_formats(const char *text, unsigned *formats) {
    static const struct {
        const char *name;
        unsigned format;
    } known[] = {{"png", PLOT_PNG}, {"svg", PLOT_SVG}};
    *formats = 0;
    for (const char *word = text;; word++) {
        const size_t length = strcspn(word, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strlen(known[i].name) == length && strncmp(known[i].name, word, length) == 0)
                found = known[i].format;
        if (!found)
            return fail(ST_USAGE, "picture format %.*s is unknown; use png, svg or png,svg",
                        (int)length, word);
        *formats |= found;
        word += length;
        if (!*word)
            return ST_OK;
    }
}

static enum status draw_charts(struct drawing *drawing, const json_t *records) {
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
        struct chart chart;
        enum status st = chart_collect(records, &charts[i], &chart);
        if (st == ST_OK && chart.n == 0)
            note("picture %s: skipped, no %s record has data for it", charts[i].name,
                 charts[i].kind);
        if (st == ST_OK)
            st = draw_chart(drawing, &charts[i], &chart);
        chart_free(&chart);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

enum status plot_records(const json_t *records, const struct plot_options *options) {
    struct drawing drawing = {.options = options};
    char *absolute = realpath(options->data_dir, NULL);
    if (!absolute || strlen(absolute) >= sizeof drawing.data_dir) {
        free(absolute);
        return fail(ST_ENV, "folder of gnuplot scripts %s: %s; install spbench again",
                    options->data_dir, strerror(errno));
    }
    snprintf(drawing.data_dir, sizeof drawing.data_dir, "%s", absolute);
    free(absolute);
    if (mkdir(options->out_dir, 0777) != 0 && errno != EEXIST)
        return fail(ST_ENV, "folder of pictures %s: %s", options->out_dir, strerror(errno));
    enum status st = draw_charts(&drawing, records);
    if (st == ST_OK)
        st = draw_phases(&drawing, records);
    if (st == ST_OK && drawing.pictures == 0)
        return fail(ST_USAGE, "nothing to draw: no record has data for any picture");
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
