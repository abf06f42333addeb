/* spbench attn: full sequence-parallel attention layers, method beside method. */
#include "bench/record/attn.h"
#include "attn/layer/layer.h"
#include "attn/problem/work.h"
#include "bench/commands/run_cases.h"
#include "bench/links/advice.h"
#include "bench/links/interconnect.h"
#include "bench/links/source.h"
#include "bench/measure/balance.h"
#include "bench/measure/gemm_rate.h"
#include "bench/options/command.h"
#include "bench/record/case.h"
#include "bench/record/head_shares.h"
#include "bench/session/case_setup.h"
#include "comm/wrap/tap.h"

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

/* The first iteration, untimed: it is recorded for replays, noted for predictions, and counted. */
static enum status first_iteration(struct bench *b, const struct session *s,
                                   struct case_setup *setup, struct attn_outcome *out) {
    struct group *world = s->run->world;
    const struct problem *p = &b->layer.attention.problem;
    if (!p->forward) /* a backward pass needs what a forward pass left */
        layer_forward(&b->layer);
    const uint64_t sp = b->tap->sent[TRAFFIC_SP], param = b->tap->sent[TRAFFIC_PARAM];
    tap_record_begin(b->tap);
    traffic_begin(&setup->traffic);
    iterate(b);
    traffic_end(&setup->traffic);
    enum status st = group_agree(world, tap_record_end(b->tap));
    uint64_t sent[2] = {b->tap->sent[TRAFFIC_SP] - sp, b->tap->sent[TRAFFIC_PARAM] - param};
    group_max_u64(world, sent, 2);
    out->sent = sent[0];
    out->param_sent = sent[1];
    /* Measured in turn with computation, which leaves its own data in the caches. */
    out->predicted_s = interconnect_predict(s->run, setup, out->rates, true);
    return st;
}

/* One more iteration, untimed, and checked: after the others, so that what went wrong on the way
 * still shows. */
static enum status check_last(struct bench *b, const struct session *s, struct attn_outcome *out) {
    out->checked = s->options.check;
    if (!out->checked)
        return ST_OK;
    tap_set_mode(b->tap, TAP_PASS);
    iterate(b);
    return check_layer(&b->layer, &out->check);
}

static enum status measure_all(struct bench *b, struct session *s, struct attn_outcome *out) {
    const struct measure_variant all[ATTN_VARIANTS] = {
        [ATTN_WHOLE] = {pass_on, run_whole, b, 1, 0},
        [ATTN_COMPUTE] = {stub, run_compute, b, 0.3, 0},
        [ATTN_COMM] = {pass_on, run_comm, b, 0.15, 0},
        [ATTN_GEMM] = {NULL, run_gemm, b, 0.1, 0},
    };
    struct measure_variant chosen[ATTN_VARIANTS];
    int which[ATTN_VARIANTS], n = 0;
    out->exchanges = s->run->world->size > 1;
    for (int v = 0; v < ATTN_VARIANTS; v++)
        if (out->exchanges || v == ATTN_WHOLE || v == ATTN_GEMM) {
            which[n] = v;
            chosen[n++] = all[v];
        }
    struct measurement times[ATTN_VARIANTS];
    const struct measure_config config = session_measure_config(s);
    const enum status st = measure(s->run->world, s->run->trace, &config, chosen, n, times);
    for (int k = 0; st == ST_OK && k < n; k++)
        out->times[which[k]] = times[k];
    return st;
}

/* Of ranks in turn if that was asked for. Of all at once only where each has cores of its own: else
 * they slow each other down. Beside it what the work that they have would make it. */
static enum status find_balance(struct bench *b, const struct session *s, const struct attn_case *c,
                                struct attn_outcome *out) {
    const struct group *world = s->run->world;
    const bool in_turn = s->options.serialize_ranks;
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
        note("%s: balance %.3f, by the ranks' work %.3f", s->title, out->balance,
             out->work_balance);
    return st;
}

/* Memory by formula, with the algorithms that the exchanges were planned with, on the hosts there
 * are. Each rank knows its own. */
static void predict_outcome_memory(const struct bench *b, const struct attn_case *c,
                                   const struct session *s, const struct case_setup *setup,
                                   const struct compute *compute, struct attn_outcome *out) {
    const struct algorithm_list algorithms = tap_algorithms(b->tap);
    const struct staging how = {.planned = &algorithms, .hosts = case_setup_hosts(s, setup)};
    const struct mem_predict m =
        attn_case_rank_memory(c, compute->dev->threads, &how, setup->grid.sp_rank);
    uint64_t x[1 + MEM_CATEGORIES] = {predict_total(&m)};
    for (int k = 0; k < MEM_CATEGORIES; k++)
        x[1 + k] = m.bytes[k];
    group_max_u64(s->run->world, x, 1 + MEM_CATEGORIES);
    out->memory.total = x[0];
    for (int k = 0; k < MEM_CATEGORIES; k++)
        out->memory.category[k] = x[1 + k];
}

static enum status measure_case(struct bench *b, struct session *s, struct case_setup *setup,
                                const struct attn_case *c, struct compute *compute,
                                const struct link_rates *rates) {
    struct attn_outcome out = {.rates = rates};
    enum status st = first_iteration(b, s, setup, &out);
    if (st == ST_OK)
        st = group_agree(s->run->world, gemm_rate_open(&b->gemm, compute));
    if (st == ST_OK)
        st = measure_all(b, s, &out);
    out.gemm_flops = b->gemm.flops;
    if (st == ST_OK) {
        out.peaks = peaks_over_ranks(s->run->world, &setup->ledger);
        predict_outcome_memory(b, c, s, setup, compute, &out);
        st = find_balance(b, s, c, &out);
    }
    if (st == ST_OK)
        st = check_last(b, s, &out);
    if (st == ST_OK) {
        json_t *record = attn_record(s, setup, c, compute, &out, tap_algorithms(b->tap).text);
        st = group_agree(s->run->world, case_record_finish(s, record));
    }
    for (int v = 0; v < ATTN_VARIANTS; v++)
        measurement_free(&out.times[v]);
    gemm_rate_close(&b->gemm);
    if (st != ST_OK || !out.checked || out.check.ok)
        return st;
    if (s->run->world->rank == 0)
        fail(ST_WRONG, "%s: %s is wrong, error %.2e of the row's maximum (allowed %.0e)", s->title,
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

static void advise(struct session *s, const struct attn_case *c) {
    const struct problem *p = &c->problem;
    const struct advice_case about = {
        .grid = &c->grid,
        .name = c->method->name,
        .ulysses = p->ulysses_size > 1,
        .inner = p->inner,
        .shape = problem_shape(p),
        .forward = p->forward,
        .backward = p->backward,
    };
    advice_note(s, &about);
}

static enum status run_case(struct session *s, const void *resolved) {
    const struct attn_case *c = resolved;
    struct case_setup setup;
    struct compute *compute = NULL;
    struct bench b = {.tap = NULL};
    announce(s, c);
    advise(s, c);
    const struct link_rates *rates = NULL;
    enum status st = case_setup_open(&setup, s, &c->grid, true);
    if (st == ST_OK) {
        rates = link_rates_find(s, &setup, true);
        mem_rss_reset();
        st = group_agree(s->run->world, attn_case_open(c, s->run->threads, &compute));
    }
    if (st == ST_OK) {
        b.tap = setup.tap;
        st = layer_open(&b.layer, &c->problem, c->method, compute, setup.transport, &setup.grid,
                        &setup.ledger);
        st = group_agree(s->run->world, st);
    }
    if (st == ST_OK)
        st = measure_case(&b, s, &setup, c, compute, rates);
    layer_close(&b.layer);
    compute_close(compute);
    case_setup_close(&setup);
    return st;
}

static const size_t *title(const void *resolved, char *out, size_t size) {
    static const size_t says[] = {OPTION_AT(ranks),
                                  OPTION_AT(method),
                                  OPTION_AT(ulysses_size),
                                  OPTION_AT(inner),
                                  OPTION_AT(fuse_qkv),
                                  OPTION_AT(pass),
                                  OPTION_AT(sp),
                                  OPTION_AT(dp_shard),
                                  OPTION_AT(seq),
                                  OPTION_AT(layout),
                                  0};

    const struct attn_case *c = resolved;
    const struct problem *p = &c->problem;
    char split[48] = "";
    if (c->method->two_groups)
        snprintf(split, sizeof split, " %dx%d %s inner", p->ulysses_size, p->ring_size,
                 usp_inner_name(p->inner));
    snprintf(out, size, "%s%s%s %s%s sp %d dp-shard %d seq %d %s", c->method->name, split,
             !p->fuse_qkv ? " q,k,v apart" : "", p->forward ? "fwd" : "", p->backward ? "bwd" : "",
             c->grid.sp_size, c->grid.dp_shard_size, (int)p->seq, layout_name(p->layout));
    return says;
}

static enum status forecast(const void *resolved, struct forecast *out) {
    const struct attn_case *c = resolved;
    *out = (struct forecast){
        .tokens = problem_tokens(&c->problem),
        .flops = problem_flops(&c->problem),
        .sent = sp_method_volume(c->method, &c->problem),
        .param_sent = predict_param_bytes(&c->problem, c->grid.ranks),
        .memory = attn_case_memory(c, &c->one_host),
        .memory_apart = attn_case_memory(c, &c->apart),
    };
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

static const struct case_kind *kind(const struct options *options) {
    (void)options;
    return &attn_kind;
}

const struct command attn_command = {
    .word = {"attn", "Measures a sequence-parallel attention layer, method beside method", "", 0,
             0},
    .ranks = run_cases,
    .kind = kind,
};
