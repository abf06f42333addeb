/* spbench comm: one operation by itself, by bytes or by model shape. */
#include <math.h>
#include <stdlib.h>

#include "base/text/units.h"
#include "bench/cases/comm_case.h"
#include "bench/commands/comm.h"
#include "bench/links/advice.h"
#include "bench/links/interconnect.h"
#include "bench/links/source.h"
#include "bench/measure/measured_op.h"
#include "bench/record/case.h"
#include "bench/record/head_shares.h"
#include "bench/session/case_setup.h"
#include "comm/op/op.h"
#include "results/record/record.h"

/* Cold: enough copies of the buffers that a turn through them leaves nothing in the last-level
 * cache. */
static int copies_of(const struct comm_case *c, size_t footprint, size_t cache_bytes) {
    enum { MOST = 256 };
    if (!c->cold)
        return 1;
    const size_t copies = 2 * cache_bytes / (footprint ? footprint : 1) + 2;
    return copies > MOST ? MOST : (int)copies;
}

static enum status create_copies(struct measured_op *m, const struct session *s,
                                 const struct comm_case *c, struct case_setup *setup) {
    const size_t footprint = op_memory(c->row, c->pass, &c->params, c->grid.sp_size, &c->one_host);
    const int n = copies_of(c, footprint, s->cache_bytes);
    *m = (struct measured_op){.copies = calloc((size_t)n, sizeof *m->copies),
                              .trace = setup->transport->trace,
                              .settles = !c->cold && footprint < s->cache_bytes};
    enum status st =
        m->copies ? ST_OK : fail(ST_ENV, "out of memory for %d copies of an exchange", n);
    st = group_agree(setup->grid.world, st);
    while (st == ST_OK && m->n < n) {
        st = op_create(c->row, c->pass, &c->params, setup->transport, &setup->grid.sp,
                       &m->copies[m->n]);
        st = group_agree(setup->grid.world, st);
        if (st == ST_OK)
            op_fill(&m->copies[m->n++]);
    }
    return st;
}

static void free_copies(struct measured_op *m) {
    for (int i = m->n - 1; i >= 0; i--)
        op_free(&m->copies[i]);
    free(m->copies);
}

/* What was counted and found, over all ranks. */
struct outcome {
    uint64_t sent, wrong, memory; /* memory: by formula */
    bool checked;
    double copy_s;                  /* 0: no bound */
    double predicted_s;             /* NAN: not predicted */
    const struct link_rates *rates; /* NULL: none */
    struct peaks peaks;
};

static json_t *make_record(const struct session *s, const struct case_setup *setup,
                           const struct comm_case *c, const struct measurement *m,
                           const struct outcome *out, const char *algorithm) {
    const int sp = c->grid.sp_size;
    const struct sp_shape *shape = &c->params.shape;
    const size_t bytes = op_send_buffer(c->row, c->pass, &c->params, sp);
    const size_t per_peer = op_per_peer(c->row, c->pass, &c->params, sp);
    json_t *r = record_new("comm");
    record_param_str(r, "pass", op_pass_name(c->pass));
    record_param_int(r, "bytes", (long long)bytes);
    if (per_peer > 0)
        record_param_int(r, "bytes_per_peer", (long long)per_peer);
    if (c->params.by_shape) {
        record_param_str(r, "model", c->shape.name[0] ? c->shape.name : NULL);
        record_param_int(r, "seq", (long long)shape->seq);
        record_param_int(r, "batch", shape->batch);
        record_param_int(r, "heads", shape->heads);
        record_param_int(r, "kv_heads", shape->kv_heads);
        record_param_int(r, "head_dim", shape->head_dim);
    }
    if (c->params.by_shape || comm_case_gradients_travel(c))
        record_param_str(r, "grad_dtype", dtype_name(s->options.grad_dtype));
    if (c->row->split) {
        record_param_int(r, "ulysses_size", shape->ulysses_size);
        record_param_int(r, "ring_size", shape->ring_size);
        head_shares_record(shape, r);
    }
    case_record_setup(s, setup, c->row->options, &c->grid, algorithm, r);
    case_record_measurement(m, r);
    record_metric(r, "predicted_comm_s", out->predicted_s);
    const double t = m->time.median;
    record_metric(r, "algbw_gb_s", (double)bytes / t / 1e9);
    record_metric(r, "busbw_gb_s", (double)out->sent / t / 1e9);
    if (c->row->total_rate)
        record_metric(r, c->row->total_rate, (double)out->sent * sp / t / 1e9);
    record_metric_int(r, "bytes_sent_per_rank", (long long)out->sent);
    record_metric_int(r, "bytes_predicted_per_rank",
                      (long long)op_volume(c->row, c->pass, &c->params, sp));
    if (out->copy_s > 0)
        record_metric(r, "fraction_of_bound", out->copy_s / t);
    record_metric_int(r, "peak_mem_bytes", (long long)out->peaks.total);
    record_metric_int(r, "predicted_mem_bytes", (long long)out->memory);
    record_metric_int(r, "peak_rss_bytes", (long long)out->peaks.rss);
    record_memory(r, mem_category_name(MEM_EXCHANGE), (long long)out->peaks.category[MEM_EXCHANGE],
                  (long long)out->memory);
    if (out->checked)
        record_check(r, out->wrong == 0, NAN, (long long)out->wrong, "every element, regenerated");
    interconnect_record(s->run, &c->grid, out->rates, r);
    return r;
}

/* Every element of every copy, before and after the measurement would be the same data: once is
 * enough. */
static uint64_t verify_all(struct measured_op *m, const struct group *world) {
    uint64_t wrong = 0;
    trace_begin(m->trace, PHASE_EXCHANGE);
    for (int i = 0; i < m->n; i++)
        wrong += op_verify(&m->copies[i]);
    trace_end(m->trace);
    group_sum_u64(world, &wrong, 1);
    return wrong;
}

/* One run, untimed: its exchanges are noted, its bytes counted. */
static uint64_t note_one_run(struct measured_op *m, struct case_setup *setup) {
    const uint64_t before = setup->transport->sent[TRAFFIC_SP];
    traffic_begin(&setup->traffic);
    measured_op_run(m);
    traffic_end(&setup->traffic);
    uint64_t sent = setup->transport->sent[TRAFFIC_SP] - before;
    group_max_u64(setup->grid.world, &sent, 1);
    return sent;
}

/* What all copies take by formula, with the algorithms that they were planned with, on the hosts
 * there are; the maximum over ranks. */
static uint64_t memory_of(const struct measured_op *m, const struct hosts *hosts,
                          const struct group *world) {
    uint64_t bytes = 0;
    for (int i = 0; i < m->n; i++)
        bytes += op_memory_as_planned(&m->copies[i], hosts);
    group_max_u64(world, &bytes, 1);
    return bytes;
}

/* Bytes that a copy must move to bound the operation, on the rank that has most; 0: no bound. It
 * only makes sense where data move by copying: between ranks of one host. */
static size_t bound_bytes(const struct measured_op *m, const struct case_setup *setup,
                          const struct comm_case *c, const struct run *run) {
    const struct placement_shape shape = placement_of(&c->grid);
    if (c->grid.sp_size == 1 || placement_sp_links(run->places, &shape).worst == LINK_NETWORK)
        return 0;
    uint64_t bytes =
        op_volume(c->row, c->pass, &c->params, c->grid.sp_size) + op_own_bytes(&m->copies[0]);
    group_max_u64(setup->grid.world, &bytes, 1);
    return (size_t)bytes;
}

static enum status measure_case(struct session *s, struct case_setup *setup,
                                const struct comm_case *c, const struct link_rates *rates) {
    struct measured_op m;
    struct outcome out = {.checked = s->options.check, .rates = rates};
    enum status st = create_copies(&m, s, c, setup);
    if (st != ST_OK) {
        free_copies(&m);
        return st;
    }
    if (out.checked)
        out.wrong = verify_all(&m, setup->grid.world);
    out.sent = note_one_run(&m, setup);
    out.predicted_s = interconnect_predict(s->run, setup, out.rates, c->cold);
    struct measurement time;
    const struct measure_config config = session_measure_config(s);
    st = measured_op_measure(&m, setup->grid.world, &config, bound_bytes(&m, setup, c, s->run),
                             c->grid.sp_size, &time, &out.copy_s);
    if (st == ST_OK) {
        out.peaks = peaks_over_ranks(setup->grid.world, &setup->ledger);
        const struct hosts hosts = case_setup_hosts(s, setup);
        out.memory = memory_of(&m, &hosts, setup->grid.world);
        json_t *record = make_record(s, setup, c, &time, &out, op_algorithms(&m.copies[0]).text);
        st = group_agree(setup->grid.world, case_record_finish(s, record));
    }
    measurement_free(&time);
    free_copies(&m);
    if (st != ST_OK || out.wrong == 0)
        return st;
    if (s->run->world->rank == 0)
        fail(ST_WRONG, "%s: %llu wrong elements", s->title, (unsigned long long)out.wrong);
    return ST_WRONG;
}

static void remark(const void *resolved, char *out, size_t size) {
    const struct comm_case *c = resolved;
    if (c->row->split)
        head_shares_text(&c->params.shape, out, size);
}

static void advise(struct session *s, const struct comm_case *c) {
    struct advice_case about = {
        .grid = &c->grid,
        .name = c->row->name,
        .inner = c->params.inner,
        .shape = c->params.shape,
        .forward = c->pass & OP_FORWARD,
        .backward = c->pass & OP_BACKWARD,
    };
    about.ulysses = about.shape.heads > 0 && about.shape.ulysses_size > 1;
    advice_note(s, &about);
}

static enum status run_case(struct session *s, const void *resolved) {
    const struct comm_case *c = resolved;
    struct case_setup setup;
    char shares[400] = "";
    remark(c, shares, sizeof shares);
    if (shares[0] && s->run->world->rank == 0)
        note("%s: %s", c->row->name, shares);
    advise(s, c);
    enum status st = case_setup_open(&setup, s, &c->grid, false);
    if (st == ST_OK) {
        const struct link_rates *rates = link_rates_find(s, &setup, c->cold);
        mem_rss_reset();
        st = measure_case(s, &setup, c, rates);
    }
    case_setup_close(&setup);
    return st;
}

static const size_t *title(const void *resolved, char *out, size_t size) {
    static const size_t says[] = {OPTION_AT(ranks), OPTION_AT(op),       OPTION_AT(ulysses_size),
                                  OPTION_AT(inner), OPTION_AT(fuse_qkv), OPTION_AT(ring_direction),
                                  OPTION_AT(pass),  OPTION_AT(sp),       OPTION_AT(dp_shard),
                                  OPTION_AT(seq),   OPTION_AT(bytes),    0};

    const struct comm_case *c = resolved;
    char bytes[48] = "", split[48] = "";
    if (c->row->two_groups && c->params.shape.ring_size > 0)
        snprintf(split, sizeof split, " %dx%d %s inner", c->params.shape.ulysses_size,
                 c->params.shape.ring_size, usp_inner_name(c->params.inner));
    if (!c->params.by_shape)
        snprintf(bytes, sizeof bytes, " %s", format_bytes((double)c->params.bytes).s);
    else if (c->params.shape.seq > 0)
        snprintf(bytes, sizeof bytes, " seq %zu", c->params.shape.seq);
    snprintf(out, size, "%s%s%s%s %s sp %d dp-shard %d%s", c->row->name, split,
             c->params.separate_qkv ? " q,k,v apart" : "", c->params.both_ways ? " both ways" : "",
             op_pass_name(c->pass), c->grid.sp_size, c->grid.dp_shard_size, bytes);
    return says;
}

/* Memory of one copy: cold runs take as many as fit the cache twice. */
static enum status forecast(const void *resolved, struct forecast *out) {
    const struct comm_case *c = resolved;
    const int sp = c->grid.sp_size;
    *out = (struct forecast){
        .sent = op_volume(c->row, c->pass, &c->params, sp),
        .memory = op_memory(c->row, c->pass, &c->params, sp, &c->one_host),
        .memory_apart = op_memory(c->row, c->pass, &c->params, sp, &c->apart),
    };
    return ST_OK;
}

const struct case_kind exchange_cases = {
    .size = sizeof(struct comm_case),
    .resolve = comm_case_resolve,
    .title = title,
    .remark = remark,
    .forecast = forecast,
    .run = run_case,
};
