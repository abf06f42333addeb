/* spbench comm --op pairs: latency and bandwidth between every two ranks of the world. */
#include <math.h>
#include <stdio.h>

#include "base/text/units.h"
#include "bench/cases/model_shape.h"
#include "bench/commands/comm.h"
#include "bench/links/interconnect.h"
#include "bench/links/pair_record.h"
#include "bench/links/source.h"
#include "bench/record/case.h"
#include "bench/session/case_setup.h"
#include "device/dtype.h"
#include "results/record/record.h"

/* One case, resolved: a curve up to a largest size. */
struct pair_case {
    struct grid_shape grid;
    size_t top; /* bytes asked for */
    size_t elem_bytes;
    size_t sizes[PAIRS_SIZES];
    int n_sizes;
    uint32_t seed;
};

static size_t largest(const struct pair_case *c) {
    return c->sizes[c->n_sizes - 1];
}

/* Options that would be silently without effect. */
static const char *unsuited(const struct options *o, int ranks) {
    if (ranks < 2)
        return "one rank has no pairs; start two or more (-n 2)";
    if (model_shape_given(o))
        return "messages between two ranks have no model's shape; give --bytes";
    if (o->pass != OP_FORWARD)
        return "pairs have no backward pass; both directions are always measured";
    if (o->cache != CACHE_WARM)
        return "pairs are measured with warm caches only";
    if (o->sync != sync_table[0])
        return "two ranks meet in an untimed exchange; --sync has no part in it";
    return NULL;
}

static enum status resolve(const struct case_source *from, struct options *o, void *out, char *why,
                           size_t why_size) {
    enum { DEFAULT_BYTES = 4 << 20 };
    struct pair_case *c = out;
    *c = (struct pair_case){.seed = o->seed, .elem_bytes = dtype_bytes(o->dtype)};
    options_keep(o, NULL);
    o->grad_dtype = DTYPE_FP32; /* there are no gradients */
    const enum status st = grid_shape_resolve(o, from->ranks, &c->grid);
    if (st != ST_OK)
        return st;
    const size_t top = o->bytes > 0 ? o->bytes : DEFAULT_BYTES;
    c->top = top;
    c->n_sizes = pairs_sizes(top, c->elem_bytes, c->sizes);
    const char *reason = unsuited(o, from->ranks);
    if (reason)
        snprintf(why, why_size, "%s", reason);
    else if (largest(c) == 0)
        snprintf(why, why_size, "%zu bytes are less than one %zu-byte element", top, c->elem_bytes);
    return ST_OK;
}

static const size_t *title(const void *resolved, char *out, size_t size) {
    static const size_t says[] = {OPTION_AT(ranks), OPTION_AT(op), OPTION_AT(bytes), 0};

    const struct pair_case *c = resolved;
    snprintf(out, size, "pairs of %d ranks, up to %s", c->grid.ranks,
             format_bytes((double)c->top).s);
    return says;
}

static enum status forecast(const void *resolved, struct forecast *out) {
    const struct pair_case *c = resolved;
    *out = (struct forecast){.sent = pairs_volume(c->sizes, c->n_sizes, c->grid.ranks),
                             .memory = 2 * largest(c),
                             .memory_apart = 2 * largest(c)};
    return ST_OK;
}

/* Rank 0. */
static json_t *make_record(const struct session *s, const struct case_setup *setup,
                           const struct pair_case *c, const struct pair_times *times,
                           const struct peaks *peaks) {
    const double rate = (double)largest(c) / times->slowest.time.median / 1e9;
    const struct pair_report report = {times, s->run->places, c->grid.ranks, c->sizes, c->n_sizes};
    struct link_rates rates;
    json_t *r = record_new("comm");
    record_param_int(r, "bytes", (long long)largest(c));
    case_record_setup(s, setup, NULL, &c->grid, times->algorithm, r);
    case_record_measurement(&times->slowest, r);
    record_metric(r, "algbw_gb_s", rate);
    record_metric(r, "busbw_gb_s", rate);
    record_metric_int(r, "bytes_sent_per_rank", (long long)times->sent);
    record_metric_int(r, "bytes_predicted_per_rank",
                      (long long)pairs_volume(c->sizes, c->n_sizes, c->grid.ranks));
    record_metric_int(r, "peak_mem_bytes", (long long)peaks->total);
    record_metric_int(r, "predicted_mem_bytes", (long long)(2 * largest(c)));
    record_metric_int(r, "peak_rss_bytes", (long long)peaks->rss);
    record_memory(r, mem_category_name(MEM_EXCHANGE), (long long)peaks->category[MEM_EXCHANGE],
                  (long long)(2 * largest(c)));
    if (s->options.check)
        record_check(r, times->wrong == 0, NAN, (long long)times->wrong,
                     "every element, regenerated");
    if (pair_record(&report, r) != ST_OK) {
        json_decref(r);
        return NULL;
    }
    const bool read = link_rates_read(r, s->run->places, c->grid.ranks, "pairs", &rates);
    interconnect_record(s->run, &c->grid, read ? &rates : NULL, r);
    return r;
}

static enum status measure_case(struct session *s, struct case_setup *setup,
                                const struct pair_case *c) {
    struct group *world = setup->grid.world;
    const struct pattern pattern = {c->seed, TENSOR_RAW, c->elem_bytes};
    const struct pair_scope scope = {.verify = true};
    struct pairs pairs;
    struct pair_times times = {0};
    enum status st = pairs_open(&pairs, setup->transport, world, pattern, c->sizes, c->n_sizes);
    if (st == ST_OK)
        st = pair_times_measure(&pairs, s->run->trace, &s->config, &scope, &times);
    if (st == ST_OK) {
        const struct peaks peaks = peaks_over_ranks(world, &setup->ledger);
        json_t *record = world->rank == 0 ? make_record(s, setup, c, &times, &peaks) : NULL;
        if (times.wrong == 0)
            link_rates_keep(s, setup, record);
        st = group_agree(world, case_record_finish(s, record));
    }
    const uint64_t wrong = s->options.check ? times.wrong : 0;
    pair_times_free(&times);
    pairs_close(&pairs);
    if (st != ST_OK || wrong == 0)
        return st;
    return world->rank > 0
               ? ST_WRONG
               : fail(ST_WRONG, "%s: %llu wrong elements", s->title, (unsigned long long)wrong);
}

static enum status run_case(struct session *s, const void *resolved) {
    const struct pair_case *c = resolved;
    struct case_setup setup;
    mem_rss_reset();
    enum status st = case_setup_open(&setup, s, &c->grid, false);
    if (st == ST_OK)
        st = measure_case(s, &setup, c);
    case_setup_close(&setup);
    return st;
}

const struct case_kind pair_cases = {
    .size = sizeof(struct pair_case),
    .resolve = resolve,
    .title = title,
    .forecast = forecast,
    .run = run_case,
};
