/* spbench attn: full sequence-parallel attention layers, method beside method. */
#include <math.h>
#include <string.h>

#include "attn/check.h"
#include "attn/layer.h"
#include "attn/work.h"
#include "base/units.h"
#include "bench/attn_case.h"
#include "bench/balance.h"
#include "bench/check_record.h"
#include "bench/commands.h"
#include "bench/gemm_rate.h"
#include "bench/head_shares.h"
#include "bench/setup.h"
#include "comm/tap.h"
#include "results/record.h"

/* What is measured of a case, interleaved. */
enum { WHOLE, COMPUTE, COMM, GEMM, VARIANTS };

/* A layer with what its iterations need. */
struct bench {
    struct layer layer;
    struct transport *tap;
    struct gemm_rate gemm;
    struct balance balance; /* of compute without exchanges */
};

static void iterate(void *arg) {
    struct bench *b = arg;
    const struct problem *p = &b->layer.attention.problem;
    if (p->forward)
        layer_forward(&b->layer);
    if (p->backward)
        layer_backward(&b->layer);
}

static void pass_on(void *arg) {
    tap_set_mode(((struct bench *)arg)->tap, TAP_PASS);
}

static void stub(void *arg) {
    tap_set_mode(((struct bench *)arg)->tap, TAP_STUB);
}

static void run_whole(void *arg) {
    iterate(arg);
}

static void run_compute(void *arg) {
    balance_run(&((struct bench *)arg)->balance, iterate, arg);
}

static void run_comm(void *arg) {
    tap_replay(((struct bench *)arg)->tap);
}

static void run_gemm(void *arg) {
    gemm_rate_run(&((struct bench *)arg)->gemm);
}

/* What was counted and found, over all ranks. */
struct outcome {
    uint64_t sent, param_sent;
    bool checked;
    struct check_report check;
    double balance; /* 0: not measured */
    double work_balance;
    enum link_class link;
    struct peaks peaks;
    struct attn_memory memory; /* by formula */
    struct measurement times[VARIANTS];
    double gemm_flops; /* of one run of the bound, on one rank */
    bool exchanges;    /* COMPUTE and COMM were measured: there is something to leave out */
};

/* The first iteration, untimed: it is recorded for replays and counted. */
static enum status first_iteration(struct bench *b, const struct session *s, struct outcome *out) {
    struct group *world = s->run->world;
    const struct problem *p = &b->layer.attention.problem;
    if (!p->forward) /* a backward pass needs what a forward pass left */
        layer_forward(&b->layer);
    const uint64_t sp = b->tap->sent[TRAFFIC_SP], param = b->tap->sent[TRAFFIC_PARAM];
    tap_record_begin(b->tap);
    iterate(b);
    enum status st = group_agree(world, tap_record_end(b->tap));
    uint64_t sent[2] = {b->tap->sent[TRAFFIC_SP] - sp, b->tap->sent[TRAFFIC_PARAM] - param};
    group_max_u64(world, sent, 2);
    out->sent = sent[0];
    out->param_sent = sent[1];
    return st;
}

/* One more iteration, untimed, and checked: after the others, so that what went wrong on the way
 * still shows. */
static enum status check_last(struct bench *b, const struct session *s, struct outcome *out) {
    out->checked = opts_flag(s->run->opts, "check");
    if (!out->checked)
        return ST_OK;
    tap_set_mode(b->tap, TAP_PASS);
    iterate(b);
    return check_layer(&b->layer, &out->check);
}

static enum status measure_all(struct bench *b, struct session *s, size_t i, struct outcome *out) {
    const struct measure_variant all[VARIANTS] = {
        [WHOLE] = {pass_on, run_whole, b, 1, 0},
        [COMPUTE] = {stub, run_compute, b, 0.3, 0},
        [COMM] = {pass_on, run_comm, b, 0.15, 0},
        [GEMM] = {NULL, run_gemm, b, 0.1, 0},
    };
    struct measure_variant chosen[VARIANTS];
    int which[VARIANTS], n = 0;
    out->exchanges = s->run->world->size > 1;
    for (int v = 0; v < VARIANTS; v++)
        if (out->exchanges || v == WHOLE || v == GEMM) {
            which[n] = v;
            chosen[n++] = all[v];
        }
    struct measurement times[VARIANTS];
    const struct measure_config config = case_config(s, i);
    const enum status st = measure(s->run->world, s->run->trace, &config, chosen, n, times);
    for (int k = 0; st == ST_OK && k < n; k++)
        out->times[which[k]] = times[k];
    return st;
}

/* Of ranks in turn if that was asked for. Of all at once only where each has cores of its own: else
 * they slow each other down. Beside it what the work that they have would make it. */
static enum status find_balance(struct bench *b, const struct session *s, const struct attn_case *c,
                                struct outcome *out) {
    const struct group *world = s->run->world;
    const bool in_turn = opts_flag(s->run->opts, "serialize-ranks");
    if (!out->exchanges || (!in_turn && world->wait != WAIT_SPIN))
        return ST_OK;
    if (in_turn) {
        b->balance.n = 0;
        stub(b);
        balance_run_in_turn(&b->balance, world, s->config.max_time_s, iterate, b);
    }
    out->balance = balance_of(&b->balance, world);
    const enum status st = group_agree(world, work_balance(&c->problem, &out->work_balance));
    if (st == ST_OK && in_turn && world->rank == 0)
        note("%s %s: balance %.3f, by the ranks' work %.3f", c->method->name,
             layout_name(c->problem.layout), out->balance, out->work_balance);
    return st;
}

static void record_problem(const struct session *s, const struct attn_case *c, size_t i,
                           const struct device *dev, json_t *r) {
    const struct problem *p = &c->problem;
    record_param_str(r, "method", c->method->name);
    record_param_str(r, "model", c->shape.name[0] ? c->shape.name : NULL);
    record_param_int(r, "seq", p->seq);
    if (problem_padded_seq(p) != p->seq)
        record_param_int(r, "padded_seq", problem_padded_seq(p));
    record_param_int(r, "batch", p->batch);
    record_param_int(r, "heads", p->heads);
    record_param_int(r, "kv_heads", p->kv_heads);
    record_param_int(r, "head_dim", p->head_dim);
    if (!p->core_only)
        record_param_int(r, "hidden", p->hidden);
    if (p->core_only)
        record_param_int(r, "core_only", 1);
    record_param_int(r, "ulysses_size", p->ulysses_size);
    record_param_int(r, "ring_size", p->ring_size);
    record_param_str(r, "inner", c->method == &sp_usp ? usp_inner_name(p->inner) : NULL);
    if (p->ulysses_size > 1) {
        const struct sp_shape shape = problem_shape(p);
        record_param_str(r, "fuse_qkv", p->fuse_qkv ? "on" : "off");
        head_shares_record(&shape, r);
    }
    if (c->method == &sp_allgather)
        record_param_int(r, "kv_groups", p->kv_groups);
    if (opts_flag(s->run->opts, "serialize-ranks"))
        record_param_int(r, "serialize_ranks", 1);
    record_param_str(r, "overlap", p->overlap ? "on" : "off");
    record_param_str(r, "dtype", dtype_name(p->dtype));
    record_param_str(r, "grad_dtype", dtype_name(p->grad_dtype));
    record_param_str(r, "pass", sweep_str(s->sweep, i, "pass"));
    record_param_str(r, "mask", sweep_str(s->sweep, i, "mask"));
    record_param_str(r, "layout", layout_name(p->layout));
    record_param_str(r, "cache", "warm");
    record_param_str(r, "kernel", dev->kernel);
    record_param_int(r, "threads", dev->threads);
}

/* Exchanges inside the layer against alone. What noise hides is left out: a layer that was faster
 * with its exchanges than without has no exposure to show, and one whose time is uncertain by more
 * than the exchanges take says nothing of overlap. */
static void record_exchanges(const struct outcome *out, json_t *r) {
    const struct summary *whole = &out->times[WHOLE].time;
    const double compute = out->times[COMPUTE].time.median, comm = out->times[COMM].time.median;
    const double exposed = whole->median - compute;
    record_metric(r, "comm_only_s", comm);
    record_metric(r, "compute_only_s", compute);
    if (exposed < 0)
        return;
    record_metric(r, "exposed_comm_s", exposed);
    if (whole->has_ci95 && 0.5 * (whole->ci95_hi - whole->ci95_lo) < comm)
        record_metric(r, "overlap", 1 - exposed / comm);
}

/* Rates come from the median. The bound is the product's rate on all ranks at once. */
static void record_rates(const struct attn_case *c, const struct outcome *out, json_t *r) {
    const double t = out->times[WHOLE].time.median;
    const double flops = problem_flops(&c->problem);
    record_metric(r, "tokens_per_s", problem_tokens(&c->problem) / t);
    record_metric(r, "tflops", flops / t / 1e12);
    const double bound = flops / c->spread.ranks / out->gemm_flops * out->times[GEMM].time.median;
    record_metric(r, "fraction_of_bound", bound / t);
    record_metric(r, "gemm_tflops", out->gemm_flops / out->times[GEMM].time.median / 1e12);
    if (!out->exchanges)
        return;
    record_exchanges(out, r);
    if (out->balance > 0) {
        record_metric(r, "balance", out->balance);
        record_metric(r, "balance_theory", out->work_balance);
    }
}

/* Memory by formula, with the algorithms that the exchanges were planned with; data-parallel groups
 * may have chosen different ones. */
static struct attn_memory memory_of(const struct bench *b, const struct attn_case *c,
                                    const struct device *dev, const struct group *world) {
    const struct algorithm_list algorithms = tap_algorithms(b->tap);
    struct attn_case planned = *c;
    planned.algorithm = algorithms.text;
    struct attn_memory m = attn_case_memory(&planned, dev);
    uint64_t x[1 + MEM_CATEGORIES] = {m.total};
    for (int k = 0; k < MEM_CATEGORIES; k++)
        x[1 + k] = m.most.bytes[k];
    group_max_u64(world, x, 1 + MEM_CATEGORIES);
    m.total = x[0];
    for (int k = 0; k < MEM_CATEGORIES; k++)
        m.most.bytes[k] = x[1 + k];
    return m;
}

static void record_memory_of(const struct outcome *out, json_t *r) {
    record_metric_int(r, "peak_mem_bytes", (long long)out->peaks.total);
    record_metric_int(r, "predicted_mem_bytes", (long long)out->memory.total);
    record_metric_int(r, "peak_rss_bytes", (long long)out->peaks.rss);
    for (int k = 0; k < MEM_CATEGORIES; k++)
        if (out->peaks.category[k] > 0 || out->memory.most.bytes[k] > 0)
            record_memory(r, mem_category_name((enum mem_category)k),
                          (long long)out->peaks.category[k], (long long)out->memory.most.bytes[k]);
}

static json_t *make_record(const struct session *s, const struct setup *setup,
                           const struct attn_case *c, size_t i, const struct device *dev,
                           const struct outcome *out, const char *algorithm) {
    json_t *r = record_new("attn");
    record_problem(s, c, i, dev, r);
    setup_record(s, setup, i, &c->spread, algorithm, r);
    measurement_record(&out->times[WHOLE], r);
    record_rates(c, out, r);
    record_metric_int(r, "bytes_sent_per_rank", (long long)out->sent);
    record_metric_int(r, "bytes_predicted_per_rank",
                      (long long)sp_method_volume(c->method, &c->problem));
    record_metric_int(r, "param_bytes_sent_per_rank", (long long)out->param_sent);
    record_metric_int(r, "param_bytes_predicted_per_rank",
                      (long long)predict_param_bytes(&c->problem, c->spread.ranks));
    record_memory_of(out, r);
    if (out->checked)
        check_record(&out->check, r);
    if (c->spread.sp_size > 1)
        record_interconnect(r, link_class_name(out->link), NAN);
    return r;
}

static enum status measure_case(struct bench *b, struct session *s, const struct setup *setup,
                                const struct attn_case *c, size_t i, struct device *dev) {
    struct outcome out = {.sent = 0};
    enum status st = first_iteration(b, s, &out);
    if (st == ST_OK)
        st = group_agree(s->run->world, gemm_rate_open(&b->gemm, dev));
    if (st == ST_OK)
        st = measure_all(b, s, i, &out);
    out.gemm_flops = b->gemm.flops;
    if (st == ST_OK) {
        out.link = worst_sp_link(s, setup);
        out.peaks = peaks_over_ranks(s->run->world, &setup->ledger);
        out.memory = memory_of(b, c, dev, s->run->world);
        st = find_balance(b, s, c, &out);
    }
    if (st == ST_OK)
        st = check_last(b, s, &out);
    if (st == ST_OK) {
        json_t *record = make_record(s, setup, c, i, dev, &out, tap_algorithms(b->tap).text);
        st = group_agree(s->run->world, finish_record(s, i, record));
    }
    for (int v = 0; v < VARIANTS; v++)
        measurement_free(&out.times[v]);
    gemm_rate_close(&b->gemm);
    if (st != ST_OK || !out.checked || out.check.ok)
        return st;
    if (s->run->world->rank == 0)
        fail(ST_WRONG,
             "%s sp %d seq %d: %s is wrong, error %.2e of the row's maximum (allowed %.0e)",
             c->method->name, c->spread.sp_size, (int)c->problem.seq,
             check_tensor_name(out.check.worst), out.check.error[out.check.worst],
             out.check.allowed);
    return ST_WRONG;
}

/* What there is to know before the numbers. */
static void announce(const struct session *s, const struct attn_case *c) {
    char shares[400];
    const struct sp_shape shape = problem_shape(&c->problem);
    if (s->run->world->rank != 0)
        return;
    head_shares_text(&shape, shares, sizeof shares);
    if (shares[0])
        note("%s: %s", c->method->name, shares);
    if (problem_padded_seq(&c->problem) != c->problem.seq)
        note("%s %s: %ld tokens are padded to %ld", c->method->name, layout_name(c->problem.layout),
             (long)c->problem.seq, (long)problem_padded_seq(&c->problem));
}

static enum status run_case(struct session *s, size_t i, const void *resolved) {
    const struct attn_case *c = resolved;
    struct setup setup;
    struct device *dev = NULL;
    struct bench b = {.tap = NULL};
    announce(s, c);
    mem_rss_reset();
    enum status st = setup_open(&setup, s, i, &c->spread, true);
    if (st == ST_OK)
        st = group_agree(s->run->world, attn_case_device(c, s->run->threads, &dev));
    if (st == ST_OK) {
        b.tap = setup.tap;
        st = layer_open(&b.layer, &c->problem, c->method, dev, setup.transport, &setup.grid,
                        &setup.ledger);
        st = group_agree(s->run->world, st);
    }
    if (st == ST_OK)
        st = measure_case(&b, s, &setup, c, i, dev);
    layer_close(&b.layer);
    if (dev)
        dev->row->close(dev);
    setup_close(&setup);
    return st;
}

static void title(const void *resolved, char *out, size_t size) {
    const struct attn_case *c = resolved;
    const struct problem *p = &c->problem;
    char split[48] = "";
    if (c->method == &sp_usp)
        snprintf(split, sizeof split, " %dx%d %s inner", p->ulysses_size, p->ring_size,
                 usp_inner_name(p->inner));
    snprintf(out, size, "%s%s%s %s%s sp %d dp-shard %d seq %d %s", c->method->name, split,
             p->ulysses_size > 1 && !p->fuse_qkv ? " q,k,v apart" : "", p->forward ? "fwd" : "",
             p->backward ? "bwd" : "", c->spread.sp_size, c->spread.dp_shard_size, (int)p->seq,
             layout_name(p->layout));
}

static enum status forecast(const void *resolved, struct forecast *out) {
    const struct attn_case *c = resolved;
    struct device *dev = NULL;
    const enum status st = attn_case_device(c, 1, &dev);
    if (st != ST_OK)
        return st;
    *out = (struct forecast){
        .tokens = problem_tokens(&c->problem),
        .flops = problem_flops(&c->problem),
        .sent = sp_method_volume(c->method, &c->problem),
        .param_sent = predict_param_bytes(&c->problem, c->spread.ranks),
        .memory = attn_case_memory(c, dev).total,
    };
    dev->row->close(dev);
    return ST_OK;
}

static const struct case_kind attn_kind = {
    .size = sizeof(struct attn_case),
    .resolve = attn_case_resolve,
    .release = attn_case_release,
    .title = title,
    .forecast = forecast,
    .run = run_case,
};

enum status attn_ranks(struct run *run) {
    return cases_run(&attn_kind, run);
}

enum status attn_cases(const struct opts *opts, const char *data_dir, int ranks, FILE *out,
                       size_t *runnable) {
    return cases_visit(&attn_kind, opts, data_dir, ranks, out, runnable);
}
