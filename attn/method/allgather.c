/* allgather: each rank keeps its queries and gathers the K/V of all ranks, whole or one group of
 * heads after the other to bound memory (--kv-groups), the next group under the compute of this
 * one. Backward gathers again, and sends each rank's contribution to dK/dV home in grad_dtype,
 * where the contributions are summed in rank order, in fp32. */
#include <stdlib.h>

#include "attn/method/attention.h"
#include "attn/method/parts/head_groups.h"
#include "comm/plan/kv_gather.h"

/* What one group of heads needs. */
struct group_plans {
    struct head_share heads;
    struct plan *gather, *scatter;
};

struct allgather {
    struct head_groups groups;
    struct group_plans *plans; /* [groups.n] */

    /* Of one group, used in turn: K then V of all tokens, and their gradients in fp32. */
    struct buffer whole[2], grads[2];
    struct buffer wire;  /* gradients in grad_dtype, where that is not fp32 */
    struct buffer slots; /* what arrives: a contribution of every rank */
    float *lse, *delta;  /* [batch, heads, tokens] */
};

/* Whether the next group is gathered while one is computed with. */
static bool double_buffered(const struct attention *a) {
    return a->problem.overlap && kv_groups_count(&a->problem) > 1;
}

/* Some heads, as they are gathered. */
static struct kv_heads gathered(const struct problem *p, struct head_share h) {
    return (struct kv_heads){p->batch, problem_local_tokens(p), p->head_dim, p->kv_heads, h.kv0,
                             h.nkv};
}

static void close_allgather(struct attention *a) {
    struct allgather *s = a->state;
    if (!s)
        return;
    for (int i = 0; s->plans && i < s->groups.n; i++) {
        plan_free(s->plans[i].scatter);
        plan_free(s->plans[i].gather);
    }
    free(s->plans);
    a->dev->row->free(a->dev, a->ledger, s->delta);
    a->dev->row->free(a->dev, a->ledger, s->lse);
    struct buffer *const buffers[] = {&s->slots,    &s->wire,     &s->grads[1],
                                      &s->grads[0], &s->whole[1], &s->whole[0]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(a->transport, buffers[i]);
    head_groups_close(&s->groups);
    free(s);
}

static enum status alloc_all(struct attention *a, struct allgather *s) {
    const struct problem *p = &a->problem;
    const struct kv_heads most = gathered(p, kv_group_largest(p));
    const size_t all = kv_heads_elements(&most) * (size_t)a->sp->size;
    const size_t rows = a->q.bytes / dtype_bytes(p->dtype) / (size_t)p->head_dim;
    const size_t e = dtype_bytes(p->dtype), g = dtype_bytes(p->grad_dtype);
    const bool twice = double_buffered(a), backward = p->backward;
    const struct {
        struct buffer *buffer;
        size_t bytes;
        bool needed;
    } tensors[] = {
        {&s->whole[0], all * e, true},
        {&s->whole[1], all * e, twice},
        {&s->grads[0], all * sizeof(float), backward},
        {&s->grads[1], all * sizeof(float), backward && twice && p->grad_dtype == DTYPE_FP32},
        {&s->wire, all * g, backward && p->grad_dtype != DTYPE_FP32},
        {&s->slots, all * g, backward},
    };
    enum status st = ST_OK;
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && st == ST_OK; i++)
        if (tensors[i].needed)
            st = buffer_alloc(a->transport, MEM_EXCHANGE, tensors[i].bytes, tensors[i].buffer);
    if (st == ST_OK)
        st = attention_floats(a, MEM_ACTIVATIONS, rows, &s->lse);
    if (st == ST_OK && backward)
        st = attention_floats(a, MEM_ACTIVATIONS, rows, &s->delta);
    return st;
}

/* Of the buffers that take turns, group i's. */
static struct buffer *turn(struct buffer buffers[2], int i) {
    return buffers[1].data ? &buffers[i % 2] : &buffers[0];
}

static enum status plan_groups(struct attention *a, struct allgather *s) {
    const struct problem *p = &a->problem;
    enum status st = ST_OK;
    for (int i = 0; i < s->groups.n && st == ST_OK; i++) {
        struct group_plans *g = &s->plans[i];
        g->heads = kv_group(p, i);
        const struct kv_heads h = gathered(p, g->heads);
        const struct buffer *leaving = s->wire.data ? &s->wire : turn(s->grads, i);
        st = kv_gather_plan(a->transport, a->sp, &h, dtype_bytes(p->dtype), &a->kv,
                            turn(s->whole, i), &g->gather);
        if (st == ST_OK && p->backward)
            st = kv_scatter_plan(a->transport, a->sp, &h, dtype_bytes(p->grad_dtype), leaving,
                                 &s->slots, &g->scatter);
    }
    return st;
}

static enum status open_allgather(struct attention *a) {
    struct allgather *s = calloc(1, sizeof *s);
    enum status st = s ? ST_OK : fail(ST_ENV, "out of memory for a method");
    a->state = s;
    if (st == ST_OK) {
        s->plans = calloc((size_t)kv_groups_count(&a->problem), sizeof *s->plans);
        st = s->plans ? alloc_all(a, s) : fail(ST_ENV, "out of memory for a method");
    }
    st = group_agree(a->sp, st);
    if (st == ST_OK)
        st = head_groups_open(&s->groups, a);
    return st == ST_OK ? plan_groups(a, s) : st;
}

/* Backward finds K and V in their place. */
static void ready(struct attention *a, enum attn_part part) {
    const struct allgather *s = a->state;
    if (part == PART_V || part == PART_DOUT)
        in_flight_ahead(&a->in_flight, s->plans[0].gather, PHASE_KV_GATHER);
}

/* Group i is there, and with overlap the next one on its way. */
static void gather(struct attention *a, int i) {
    const struct allgather *s = a->state;
    in_flight_start(&a->in_flight, s->plans[i].gather, PHASE_KV_GATHER);
    in_flight_finish(&a->in_flight, s->plans[i].gather, PHASE_KV_GATHER);
    if (double_buffered(a) && i + 1 < s->groups.n)
        in_flight_start(&a->in_flight, s->plans[i + 1].gather, PHASE_KV_GATHER);
}

/* Where sequence b of group i begins in its grouped tensors of [batch, tokens, heads, head_dim]. */
static size_t q_element(const struct problem *p, struct head_share h, int b) {
    const size_t tokens = (size_t)problem_local_tokens(p);
    return tokens * ((size_t)p->batch * (size_t)h.q0 + (size_t)b * (size_t)h.nq) *
           (size_t)p->head_dim;
}

static void *element(const struct buffer *buffer, size_t at, enum dtype dtype) {
    return buffer->data ? (char *)buffer->data + at * dtype_bytes(dtype) : NULL;
}

/* This rank's queries of group i and sequence b, against all keys. One sequence at a time, so that
 * LSE of some heads is a part of the LSE of all. */
static struct attn_args group_args(const struct attention *a, int i, int b) {
    struct allgather *s = a->state;
    const struct problem *p = &a->problem;
    const struct head_share h = s->plans[i].heads;
    const struct head_groups *g = &s->groups;
    const int tokens = problem_local_tokens(p), keys = tokens * p->sp_size;
    const size_t q = q_element(p, h, b);
    const size_t row = ((size_t)b * (size_t)p->heads + (size_t)h.q0) * (size_t)tokens;
    const size_t k = (size_t)keys * (size_t)(h.nkv * p->head_dim);
    const size_t at = (size_t)b * k, v = (size_t)p->batch * k + at; /* in the whole */
    const struct buffer *whole = turn(s->whole, i), *grads = turn(s->grads, i);
    return (struct attn_args){
        .batch = 1,
        .heads = h.nq,
        .kv_heads = h.nkv,
        .head_dim = p->head_dim,
        .q_tokens = tokens,
        .k_tokens = keys,
        .q_head0 = h.q0,
        .kv_head0 = h.kv0,
        .group = p->heads / p->kv_heads,
        .scale = problem_logit_scale(p),
        .mask = &p->mask,
        .q_pos = a->mine,
        .k_pos = a->pos,
        .q = element(head_groups_tensor(g, HEADS_Q), q, p->dtype),
        .k = element(whole, at, p->dtype),
        .v = element(whole, v, p->dtype),
        .o = element(head_groups_tensor(g, HEADS_O), q, p->dtype),
        .lse = s->lse + row,
        .dout = element(head_groups_tensor(g, HEADS_DOUT), q, p->dtype),
        .delta = s->delta ? s->delta + row : NULL,
        .dq = element(head_groups_tensor(g, HEADS_DQ), q, DTYPE_FP32),
        .dk = element(grads, at, DTYPE_FP32),
        .dv = element(grads, v, DTYPE_FP32),
        .workspace = a->workspace,
        .poll = in_flight_poll,
        .poll_arg = (void *)&a->in_flight,
    };
}

static void forward(struct attention *a) {
    struct allgather *s = a->state;
    struct trace *trace = a->transport->trace;
    head_groups_copy(&s->groups, s->groups.cut_q);
    for (int i = 0; i < s->groups.n; i++) {
        gather(a, i);
        trace_begin(trace, PHASE_ATTENTION);
        for (int b = 0; b < a->problem.batch; b++) {
            const struct attn_args args = group_args(a, i, b);
            a->compute->row->attn_forward(a->compute, &args);
        }
        trace_end(trace);
    }
    head_groups_copy(&s->groups, s->groups.join_o);
}

static void backward_group(struct attention *a, int i) {
    struct allgather *s = a->state;
    const struct compute_row *row = a->compute->row;
    const struct buffer *grads = turn(s->grads, i);
    trace_begin(a->transport->trace, PHASE_ATTENTION_BWD);
    a->dev->row->zero(a->dev, grads->data, grads->bytes);
    for (int b = 0; b < a->problem.batch; b++) {
        const struct attn_args args = group_args(a, i, b);
        const struct rows_shape shape = {1, args.q_tokens, args.heads, args.head_dim};
        row->delta(a->compute, shape, args.o, args.dout, (float *)args.delta);
        row->attn_backward(a->compute, &args);
    }
    trace_end(a->transport->trace);
}

static size_t group_elements(const struct attention *a, int i) {
    const struct allgather *s = a->state;
    const struct kv_heads h = gathered(&a->problem, s->plans[i].heads);
    return kv_heads_elements(&h);
}

/* The contributions to dK/dV of group i have arrived: their sum, in rank order. */
static void sum_up(struct attention *a, int i) {
    struct allgather *s = a->state;
    const struct device_row *row = a->dev->row;
    const enum dtype wire = a->problem.grad_dtype;
    const size_t n = group_elements(a, i);
    const size_t before = n / (size_t)s->plans[i].heads.nkv * (size_t)s->plans[i].heads.kv0;
    float *sum = element(head_groups_tensor(&s->groups, HEADS_DKV), before, DTYPE_FP32);
    in_flight_finish(&a->in_flight, s->plans[i].scatter, PHASE_DKV_SCATTER);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    row->convert(a->dev, sum, DTYPE_FP32, s->slots.data, wire, n);
    for (int r = 1; r < a->sp->size; r++)
        row->add(a->dev, sum, element(&s->slots, (size_t)r * n, wire), wire, n);
    trace_end(a->transport->trace);
}

/* Group i's contributions set out. Before, those of the last group have come in; those of the last
 * one of all are waited for when they are needed. */
static void send_home(struct attention *a, int i) {
    struct allgather *s = a->state;
    const bool ahead = double_buffered(a);
    if (ahead && i > 0)
        sum_up(a, i - 1);
    if (s->wire.data) {
        trace_begin(a->transport->trace, PHASE_ACCUMULATE);
        a->dev->row->convert(a->dev, s->wire.data, a->problem.grad_dtype, turn(s->grads, i)->data,
                             DTYPE_FP32, group_elements(a, i) * (size_t)a->sp->size);
        trace_end(a->transport->trace);
    }
    in_flight_start(&a->in_flight, s->plans[i].scatter, PHASE_DKV_SCATTER);
    if (!ahead && i + 1 < s->groups.n)
        sum_up(a, i);
}

static void backward(struct attention *a) {
    struct allgather *s = a->state;
    const struct buffer *dq = head_groups_tensor(&s->groups, HEADS_DQ);
    head_groups_copy(&s->groups, s->groups.cut_dout);
    a->dev->row->zero(a->dev, dq->data, dq->bytes);
    for (int i = 0; i < s->groups.n; i++) {
        gather(a, i);
        backward_group(a, i);
        send_home(a, i);
    }
    head_groups_copy(&s->groups, s->groups.join_dq);
}

/* dQ never left; what it is for hides the last of dK and dV. */
static enum attn_part arrival(struct attention *a, int i) {
    static const enum attn_part order[QKV_PARTS] = {PART_Q, PART_K, PART_V};
    struct allgather *s = a->state;
    if (order[i] == PART_K) {
        sum_up(a, s->groups.n - 1);
        head_groups_copy(&s->groups, s->groups.join_dkv);
    }
    return order[i];
}

static struct lse_view lse(const struct attention *a) {
    const struct allgather *s = a->state;
    return (struct lse_view){
        s->lse, s->delta, 0, a->problem.heads, problem_local_tokens(&a->problem), a->mine};
}

const struct attention_ops allgather_ops = {
    .open = open_allgather,
    .close = close_allgather,
    .ready = ready,
    .forward = forward,
    .backward = backward,
    .arrival = arrival,
    .lse = lse,
};
