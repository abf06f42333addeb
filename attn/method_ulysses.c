/* ulysses: an all-to-all gives each rank all tokens of a slice of heads, attention runs there, a
 * second one brings O back (Jacobs et al., "DeepSpeed Ulysses", 2023). K/V heads are replicated
 * where there are fewer than ranks; their gradients are summed where the tokens live. */
#include <stdio.h>
#include <stdlib.h>

#include "attn/method.h"
#include "comm/exchange.h"
#include "comm/staging.h"
#include "comm/volume.h"

struct ulysses {
    struct head_share share;
    int slots; /* copies of dK/dV that arrive, see kv_replica_slots() */

    /* All tokens, this rank's heads: [batch, seq, heads here, head_dim]. */
    struct buffer q, k, v, o;
    struct buffer dout, dq, dk, dv;
    struct buffer
        replicas;       /* dK then dV, each [slots, batch, tokens, kv_heads, head_dim]; slots > 1 */
    float *lse, *delta; /* [batch, heads here, seq] */

    struct plan *qkv, *out;      /* forward */
    struct plan *dout_in, *dqkv; /* backward */
};

static enum layout default_layout(const struct problem *p) {
    (void)p;
    return LAYOUT_CONTIGUOUS;
}

static void split(struct problem *p) {
    p->ulysses_size = p->sp_size;
    p->ring_size = 1;
}

static bool supports(const struct problem *p, char *why, size_t why_size) {
    if (p->heads < p->ulysses_size)
        snprintf(
            why, why_size,
            "ulysses gives each rank whole heads, but %d heads are fewer than ulysses_size %d; "
            "use --sp %d or less, or --method ring",
            p->heads, p->ulysses_size, p->heads);
    else if (p->heads % p->ulysses_size != 0)
        snprintf(why, why_size,
                 "%d heads do not divide over ulysses_size %d; use an --sp that divides %d, or "
                 "--method ring",
                 p->heads, p->ulysses_size, p->heads);
    else
        return true;
    return false;
}

static size_t volume(const struct problem *p, int sp_rank) {
    const struct sp_shape s = problem_shape(p);
    size_t bytes = 0;
    if (p->forward)
        bytes += volume_ulysses_forward(&s, sp_rank);
    if (p->backward)
        bytes += volume_ulysses_backward(&s, sp_rank);
    return bytes;
}

/* Q, O (and dO, dQ) of the slice of heads for all tokens, K, V (and dK, dV) of the heads that it
 * reads, the copies in which replicas' gradients arrive, LSE and delta, and the packed copies of
 * four exchanges. */
static void memory(const struct problem *p, const struct predict_env *env,
                   struct mem_predict *out) {
    const struct sp_shape s = problem_shape(p);
    const struct head_share h = head_share(p->heads, p->kv_heads, p->ulysses_size, env->sp_rank);
    const size_t head = (size_t)p->batch * (size_t)p->seq * (size_t)p->head_dim;
    const size_t e = s.elem_bytes;
    const size_t slots = (size_t)kv_replica_slots(p->heads, p->kv_heads, p->ulysses_size);
    const size_t rows = (size_t)p->batch * (size_t)p->seq * (size_t)h.nq;
    size_t exchange = head * e * 2 * (size_t)(h.nq + h.nkv);
    exchange += staging_ulysses(&s, env->sp_rank, staging_nth(env->algorithm, 0).text, 1, 2);
    exchange += staging_ulysses(&s, env->sp_rank, staging_nth(env->algorithm, 1).text, 1, 0);
    if (p->backward) {
        exchange += head * e * (size_t)h.nq + head * 4 * (size_t)(h.nq + 2 * h.nkv);
        exchange += slots > 1 ? slots * local_kv_bytes(&s) : 0;
        exchange += staging_ulysses(&s, env->sp_rank, staging_nth(env->algorithm, 2).text, 1, 0);
        exchange += staging_ulysses(&s, env->sp_rank, staging_nth(env->algorithm, 3).text, 1, 2);
    }
    out->bytes[MEM_EXCHANGE] += exchange;
    out->bytes[MEM_ACTIVATIONS] += 4 * rows * (p->backward ? 2 : 1);
}

static void close_ulysses(struct attention *a) {
    struct ulysses *s = a->state;
    if (!s)
        return;
    struct plan *const plans[] = {s->dqkv, s->dout_in, s->out, s->qkv};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        plan_free(plans[i]);
    a->dev->row->free(a->dev, a->ledger, s->delta);
    a->dev->row->free(a->dev, a->ledger, s->lse);
    struct buffer *const buffers[] = {&s->replicas, &s->dv, &s->dk, &s->dq, &s->dout,
                                      &s->o,        &s->v,  &s->k,  &s->q};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(a->transport, buffers[i]);
    free(s);
}

static enum status alloc_all(struct attention *a, struct ulysses *s) {
    const struct problem *p = &a->problem;
    const size_t head = (size_t)p->batch * (size_t)p->seq * (size_t)p->head_dim;
    const size_t q = head * (size_t)s->share.nq, kv = head * (size_t)s->share.nkv;
    const size_t elem = dtype_bytes(p->dtype);
    const size_t replicas = s->slots > 1 ? (size_t)s->slots * a->dkv.bytes : 0;
    const struct {
        struct buffer *buffer;
        size_t bytes;
        bool backward;
    } tensors[] = {
        {&s->q, q * elem, false},           {&s->k, kv * elem, false},
        {&s->v, kv * elem, false},          {&s->o, q * elem, false},
        {&s->dout, q * elem, true},         {&s->dq, q * sizeof(float), true},
        {&s->dk, kv * sizeof(float), true}, {&s->dv, kv * sizeof(float), true},
        {&s->replicas, replicas, true},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        if (tensors[i].bytes == 0 || (tensors[i].backward && !p->backward))
            continue;
        const enum status st =
            buffer_alloc(a->transport, MEM_EXCHANGE, tensors[i].bytes, tensors[i].buffer);
        if (st != ST_OK)
            return st;
    }
    const size_t rows = (size_t)p->batch * (size_t)p->seq * (size_t)s->share.nq;
    enum status st = attention_floats(a, MEM_ACTIVATIONS, rows, &s->lse);
    if (st == ST_OK && p->backward)
        st = attention_floats(a, MEM_ACTIVATIONS, rows, &s->delta);
    return st;
}

/* Collective: every rank gets here with its buffers. */
static enum status plan_all(struct attention *a, struct ulysses *s) {
    const struct problem *p = &a->problem;
    const struct sp_shape shape = problem_shape(p);
    const size_t v = a->kv.bytes / 2;
    const struct ulysses_tensor qkv[] = {
        {&a->q, 0, &s->q, 0, false}, {&a->kv, 0, &s->k, 0, true}, {&a->kv, v, &s->v, 0, true}};
    const struct ulysses_tensor out = {&a->o, 0, &s->o, 0, false};
    enum status st = ulysses_to_heads_plan(a->transport, a->sp, &shape, qkv, 3, &s->qkv);
    if (st == ST_OK)
        st = ulysses_to_tokens_plan(a->transport, a->sp, &shape, &out, 1, &s->out);
    if (st != ST_OK || !p->backward)
        return st;

    struct buffer *const dkv = s->slots > 1 ? &s->replicas : &a->dkv;
    const struct ulysses_tensor dout = {&a->dout, 0, &s->dout, 0, false};
    const struct ulysses_tensor dqkv[] = {{&a->dq, 0, &s->dq, 0, false},
                                          {dkv, 0, &s->dk, 0, true},
                                          {dkv, dkv->bytes / 2, &s->dv, 0, true}};
    st = ulysses_to_heads_plan(a->transport, a->sp, &shape, &dout, 1, &s->dout_in);
    if (st == ST_OK)
        st = ulysses_to_tokens_plan(a->transport, a->sp, &shape, dqkv, 3, &s->dqkv);
    return st;
}

static enum status open_ulysses(struct attention *a) {
    const struct problem *p = &a->problem;
    struct ulysses *s = calloc(1, sizeof *s);
    enum status st = s ? ST_OK : fail(ST_ENV, "out of memory for a method");
    a->state = s;
    if (st == ST_OK) {
        s->share = head_share(p->heads, p->kv_heads, a->sp->size, a->sp->rank);
        s->slots = kv_replica_slots(p->heads, p->kv_heads, a->sp->size);
        st = alloc_all(a, s);
    }
    st = group_agree(a->sp, st);
    if (st != ST_OK)
        return st;
    if (s->replicas.data)
        a->dev->row->zero(a->dev, s->replicas.data, s->replicas.bytes);
    return plan_all(a, s);
}

/* Attention of this rank's heads over all tokens, which arrive in rank order. */
static struct attn_args head_args(const struct attention *a) {
    const struct ulysses *s = a->state;
    struct attn_args args = attention_args(a);
    args.heads = s->share.nq;
    args.kv_heads = s->share.nkv;
    args.q_head0 = s->share.q0;
    args.kv_head0 = s->share.kv0;
    args.q_tokens = args.k_tokens = a->problem.seq;
    args.q_pos = args.k_pos = a->pos;
    args.q = s->q.data;
    args.k = s->k.data;
    args.v = s->v.data;
    args.o = s->o.data;
    args.lse = s->lse;
    args.delta = s->delta;
    args.dout = s->dout.data;
    args.dq = s->dq.data;
    args.dk = s->dk.data;
    args.dv = s->dv.data;
    return args;
}

static void exchange(struct attention *a, enum phase phase, struct plan *plan) {
    trace_begin(a->transport->trace, phase);
    plan_run(plan);
    trace_end(a->transport->trace);
}

static void forward(struct attention *a) {
    const struct ulysses *s = a->state;
    const struct attn_args args = head_args(a);
    exchange(a, PHASE_ALLTOALL_QKV, s->qkv);
    trace_begin(a->transport->trace, PHASE_ATTENTION);
    a->dev->row->attn_forward(a->dev, &args);
    trace_end(a->transport->trace);
    exchange(a, PHASE_ALLTOALL_O, s->out);
}

static void sum_replicas(struct attention *a, const struct ulysses *s) {
    const size_t n = attention_kv_elements(&a->problem);
    float *dkv = a->dkv.data;
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    for (int half = 0; half < 2; half++, dkv += n) {
        const float *slot = (const float *)s->replicas.data + (size_t)half * (size_t)s->slots * n;
        a->dev->row->copy(a->dev, dkv, slot, n * sizeof *dkv);
        for (int i = 1; i < s->slots; i++)
            a->dev->row->add(a->dev, dkv, slot + (size_t)i * n, DTYPE_FP32, n);
    }
    trace_end(a->transport->trace);
}

static void backward(struct attention *a) {
    const struct ulysses *s = a->state;
    const struct attn_args args = head_args(a);
    const struct device_row *row = a->dev->row;
    exchange(a, PHASE_ALLTOALL_DO, s->dout_in);
    trace_begin(a->transport->trace, PHASE_ATTENTION_BWD);
    const struct rows_shape shape = {args.batch, args.q_tokens, args.heads, args.head_dim};
    row->delta(a->dev, shape, args.o, args.dout, s->delta);
    row->zero(a->dev, s->dq.data, s->dq.bytes);
    row->zero(a->dev, s->dk.data, s->dk.bytes);
    row->zero(a->dev, s->dv.data, s->dv.bytes);
    row->attn_backward(a->dev, &args);
    trace_end(a->transport->trace);
    exchange(a, PHASE_ALLTOALL_DQKV, s->dqkv);
    if (s->slots > 1)
        sum_replicas(a, s);
}

static struct lse_view lse(const struct attention *a) {
    const struct ulysses *s = a->state;
    return (struct lse_view){s->lse, s->delta, s->share.q0, s->share.nq, a->problem.seq, a->pos};
}

const struct sp_method sp_ulysses = {
    .name = "ulysses",
    .help = "all-to-all to a slice of heads and back (DeepSpeed-Ulysses)",
    .default_layout = default_layout,
    .split = split,
    .supports = supports,
    .volume = volume,
    .memory = memory,
    .open = open_ulysses,
    .close = close_ulysses,
    .forward = forward,
    .backward = backward,
    .lse = lse,
};
