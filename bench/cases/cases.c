#include "bench/cases/cases.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/ledger.h"
#include "base/output.h"
#include "base/text/units.h"
#include "bench/cases/same_cases.h"
#include "bench/measure/setup.h"
#include "bench/output/sink.h"
#include "results/export/export.h"

enum { TITLE_ROOM = 160, WHY_ROOM = 256, REMARK_ROOM = 400 };

/* Case i: what it asks for, and resolved; why: it is not to run. */
static enum status resolve(const struct case_kind *kind, const struct case_source *from, size_t i,
                           struct options *asked, void *c, struct same_cases *seen,
                           char why[WHY_ROOM]) {
    why[0] = '\0';
    sweep_options(from->sweep, i, asked);
    struct options comes_to = *asked;
    const enum status st = kind->resolve(from, &comes_to, c, why, WHY_ROOM);
    return st != ST_OK || why[0] ? st
                                 : same_cases_add(seen, from->sweep, i, &comes_to, why, WHY_ROOM);
}

static void release(const struct case_kind *kind, void *c) {
    if (kind->release)
        kind->release(c);
}

/* Predicted memory of all ranks, which are on this host, against what is free. */
static enum status fits(const struct case_kind *kind, const struct case_source *from,
                        const struct options *o, const void *c) {
    char title[TITLE_ROOM];
    struct forecast f;
    const enum status st = kind->forecast(c, &f);
    if (st != ST_OK)
        return st;
    const size_t per_rank = f.memory;
    const size_t available = mem_available();
    const double need = (double)per_rank * from->ranks;
    if (available == 0 || need <= (double)available)
        return ST_OK;
    kind->title(c, title, sizeof title);
    if (!o->force)
        return fail(
            ST_USAGE,
            "%s: predicted %s per rank, %s for %d ranks, but %s is free; use a smaller problem or "
            "fewer ranks, or --force to try all the same",
            title, format_bytes((double)per_rank).s, format_bytes(need).s, from->ranks,
            format_bytes((double)available).s);
    warn("%s: predicted %s for %d ranks, but %s is free; trying because of --force", title,
         format_bytes(need).s, from->ranks, format_bytes((double)available).s);
    return ST_OK;
}

static void print_remark(const struct case_kind *kind, const void *c, FILE *out) {
    char remark[REMARK_ROOM] = "";
    if (kind->remark)
        kind->remark(c, remark, sizeof remark);
    if (remark[0])
        fprintf(out, "    %s\n", remark);
}

/* One case of --dry-run: a line for people, or with -o jsonl an object. */
static enum status print(const struct case_kind *kind, const struct case_source *from,
                         const struct options *o, const void *c, FILE *out) {
    char title[TITLE_ROOM];
    struct forecast f;
    enum status st = kind->forecast(c, &f);
    if (st != ST_OK)
        return st;
    kind->title(c, title, sizeof title);
    if (o->exporter != &export_jsonl) {
        fprintf(out, "%-52s", title);
        if (f.tokens > 0)
            fprintf(out, "  tokens %-8.0f  TFLOP %-9.4g", f.tokens, f.flops / 1e12);
        fprintf(out, "  sent/rank %-9s", format_bytes((double)f.sent).s);
        if (f.tokens > 0)
            fprintf(out, "  param/rank %-9s", format_bytes((double)f.param_sent).s);
        fprintf(out, "  memory/rank %s", format_bytes((double)f.memory).s);
        if (f.memory_apart > f.memory)
            fprintf(out, " on one host, up to %s across hosts",
                    format_bytes((double)f.memory_apart).s);
        fputc('\n', out);
        print_remark(kind, c, out);
        return ST_OK;
    }
    char *name = sweep_case_name(from->sweep, o);
    json_t *line = json_pack("{s:s, s:f, s:f, s:I, s:I, s:I, s:I}", "case", name ? name : title,
                             "tokens", f.tokens, "flops", f.flops, "bytes_predicted_per_rank",
                             (json_int_t)f.sent, "param_bytes_predicted_per_rank",
                             (json_int_t)f.param_sent, "predicted_mem_bytes", (json_int_t)f.memory,
                             "predicted_mem_bytes_across_hosts", (json_int_t)f.memory_apart);
    if (!line || json_dumpf(line, out, JSON_COMPACT) != 0 || fputc('\n', out) == EOF)
        st = output_failed(out, "the list of cases");
    json_decref(line);
    free(name);
    return st;
}

/* Prints a resolved case that can run to out, or checks its memory where out is NULL. */
static enum status visit_one(const struct case_kind *kind, const struct case_source *from,
                             const struct options *o, const void *c, const char *why, FILE *out,
                             size_t *runnable) {
    char title[TITLE_ROOM];
    if (why[0]) {
        kind->title(c, title, sizeof title);
        note("skipped: %s: %s", title, why);
        return ST_OK;
    }
    ++*runnable;
    return out ? print(kind, from, o, c, out) : fits(kind, from, o, c);
}

static enum status visit(const struct case_kind *kind, const struct case_source *from, void *c,
                         FILE *out, size_t *runnable) {
    enum status st = ST_OK;
    struct same_cases seen = {0};
    for (size_t i = 0; st == ST_OK && i < sweep_count(from->sweep); i++) {
        char why[WHY_ROOM];
        struct options o;
        st = resolve(kind, from, i, &o, c, &seen, why);
        if (st == ST_OK)
            st = visit_one(kind, from, &o, c, why, out, runnable);
        release(kind, c);
    }
    same_cases_free(&seen);
    return st;
}

enum status cases_visit(const struct case_kind *kind, const struct options *options,
                        const char *data_dir, int ranks, FILE *out, size_t *runnable) {
    struct sweep *sweep = NULL;
    if (options->min_samples > options->max_samples)
        return fail(ST_USAGE, "--min-samples is more than --max-samples");
    void *c = malloc(kind->size);
    enum status st = c ? sweep_create(options, ranks, &sweep) : fail(ST_ENV, "out of memory");
    if (st == ST_OK) {
        const struct case_source from = {sweep, data_dir, ranks};
        st = visit(kind, &from, c, out, runnable);
    }
    sweep_free(sweep);
    free(c);
    return st;
}

static enum status run_all(const struct case_kind *kind, struct session *s, void *c,
                           struct same_cases *seen) {
    struct run *run = s->run;
    const struct case_source from = {s->sweep, run->data_dir, run->world->size};
    const size_t n = sweep_count(s->sweep);
    enum status worst = ST_OK;
    for (size_t i = 0; i < n; i++) {
        char why[WHY_ROOM], title[TITLE_ROOM];
        enum status st = resolve(kind, &from, i, &s->options, c, seen, why);
        if (st == ST_OK && !why[0]) {
            kind->title(c, title, sizeof title);
            sink_progress(run->sink, i, n, title);
            *run->now = title;
            st = kind->run(s, c);
            *run->now = NULL;
        }
        release(kind, c);
        if (st != ST_OK && st != ST_WRONG && st != ST_INCONCLUSIVE)
            return st;
        if (worst != ST_WRONG && st != ST_OK)
            worst = st;
    }
    return worst;
}

enum status cases_run(const struct case_kind *kind, struct run *run) {
    struct session s = {0};
    struct same_cases seen = {0};
    void *c = malloc(kind->size);
    enum status st = c ? session_open(&s, run) : fail(ST_ENV, "out of memory");
    st = group_agree(run->world, st);
    if (st == ST_OK)
        st = run_all(kind, &s, c, &seen);
    same_cases_free(&seen);
    if (c)
        session_close(&s);
    free(c);
    return st;
}
