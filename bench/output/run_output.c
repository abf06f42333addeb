#include "bench/output/run_output.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/output/progress.h"
#include "results/export/export.h"
#include "results/record/record.h"
#include "results/record/store.h"
#include "results/verdict/sidebyside.h"
#include "topology/model/machine.h"

struct run_output {
    struct run_output_config config;
    struct export_stream stream;
    struct progress progress;
    time_t start;
    struct store *store; /* NULL: nothing is saved */
    bool run_entered;    /* this run stands in run.json */
    json_t *layers;      /* attn records, to be set side by side */
    const char **swept;  /* keys of cases that the options list several values of; may be NULL */
};

static enum status save_topology(const char *dir) {
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/topology.xml", dir);
    if (n < 0 || (size_t)n >= sizeof path)
        return fail(ST_USAGE, "--save %s: the path is too long", dir);
    struct machine machine;
    enum status st = machine_load(&machine, "hwloc", NULL);
    if (st == ST_OK)
        st = machine_topology_xml(&machine, path);
    machine_free(&machine);
    return st;
}

static enum status open_store(struct run_output *r) {
    const char *dir = r->config.options->save;
    if (!dir)
        return ST_OK;
    const enum status st = store_open(dir, &r->store);
    return st == ST_OK ? save_topology(dir) : st;
}

enum status run_output_open(const struct run_output_config *config, struct run_output **out) {
    *out = NULL;
    struct run_output *r = calloc(1, sizeof *r);
    if (!r)
        return fail(ST_ENV, "out of memory");
    *r = (struct run_output){
        .config = *config,
        .progress = progress_start(config->options),
        .start = time(NULL),
        .layers = json_array(),
        .swept = config->swept ? NULL : options_swept(config->options),
    };
    enum status st = open_store(r);
    if (st == ST_OK)
        st = export_begin(&r->stream, config->options->exporter, config->out);
    r->stream.swept = r->swept ? r->swept : config->swept;
    if (st != ST_OK) {
        r->stream.exporter = NULL;
        run_output_close(r);
        return st;
    }
    *out = r;
    return ST_OK;
}

/* The first record brings the fingerprint, which only ranks can know whole. */
static enum status enter_run(struct run_output *r, const json_t *fingerprint) {
    if (!r->store || r->run_entered)
        return ST_OK;
    r->run_entered = true;
    return store_add_run(r->store, r->config.argc, r->config.argv, r->start, fingerprint);
}

enum status run_output_record(struct run_output *r, json_t *record) {
    const double speedup = speedup_vs_sp1(r->layers, record);
    if (speedup > 0)
        record_metric(record, "speedup_vs_sp1", speedup);
    enum status st = record_validate(record, "a result");
    if (st == ST_OK)
        st = enter_run(r, json_object_get(record, "fingerprint"));
    if (st == ST_OK && r->store)
        st = store_append(r->store, record);
    progress_clear(&r->progress);
    if (st == ST_OK)
        st = export_record(&r->stream, record);
    const char *kind = record_str(record, NULL, "kind");
    if (st == ST_OK && kind && strcmp(kind, "attn") == 0 &&
        json_array_append(r->layers, record) != 0)
        st = fail(ST_ENV, "out of memory for records");
    return st;
}

enum status run_output_line(struct run_output *r, const char *line, size_t length) {
    json_t *value = json_loadb(line, length, 0, NULL);
    if (!value)
        return fail(ST_ENV, "rank 0 sent %zu bytes that are no result: %.60s", length, line);
    json_int_t done, total;
    const char *what;
    enum status st = ST_OK;
    if (json_unpack(value, "{s:[I,I], s:s}", "progress", &done, &total, "what", &what) == 0)
        run_output_progress(r, (size_t)done, (size_t)total, what);
    else
        st = run_output_record(r, value);
    json_decref(value);
    return st;
}

void run_output_progress(struct run_output *r, size_t done, size_t total, const char *what) {
    progress_show(&r->progress, done, total, what);
}

enum status run_output_close(struct run_output *r) {
    if (!r)
        return ST_OK;
    progress_clear(&r->progress);
    enum status st = ST_OK;
    const struct exporter *exporter = r->stream.exporter;
    if (exporter) {
        st = export_end(&r->stream);
        if (st == ST_OK && exporter->sets_side_by_side)
            st = sidebyside_print(r->layers, exporter->markdown, r->config.out);
        const enum status entered = enter_run(r, NULL);
        st = st == ST_OK ? entered : st;
    }
    store_close(r->store);
    json_decref(r->layers);
    free(r->swept);
    free(r);
    return st;
}
