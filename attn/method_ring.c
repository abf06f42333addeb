/* ring: each rank keeps its queries, K/V blocks travel round a ring, partial results are merged by
 * their LSE (Liu et al., "Ring Attention", 2023). A hop is started before the compute that it
 * overlaps.
 *
 * Backward, K/V travel once more. The gradient of a block starts at the rank after its home,
 * travels with it, is added to by every rank, and takes a last hop home, where the home's own
 * contribution waits: P - 1 hops of dK/dV in grad_dtype. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attn/method.h"
#include "comm/exchange.h"
#include "comm/volume.h"

struct ring {
    float *o_sum;          /* fp32 running output, like q; NULL where a->o itself serves (fp32) */
    void *o_part;          /* a later block's output, like q in dtype */
    float *lse, *lse_part; /* [batch, heads, tokens] */
    float *delta;

    /* Visiting K/V; the first hop leaves from a->kv, which backward needs whole. */
    struct buffer kv[2];
    struct plan *first, *hop[2]; /* a->kv -> kv[0]; kv[i] -> kv[1 - i] */

    float *contribution; /* dK, dV of this rank for the visiting block, fp32 */
    struct buffer wire_out,
        wire_in; /* dK, dV in grad_dtype: leaving, and arriving from the rank before */
    struct plan *grad;

    struct plan *active[2]; /* in flight, for polling while computing */
};

static enum layout default_layout(const struct problem *p) {
    return p->mask.causal ? LAYOUT_ZIGZAG : LAYOUT_CONTIGUOUS;
}

static void split(struct problem *p) {
    p->ulysses_size = 1;
    p->ring_size = p->sp_size;
}

static bool supports(const struct problem *p, char *why, size_t why_size) {
    (void)p;
    (void)why;
    (void)why_size;
    return true;
}

static size_t volume(const struct problem *p, int sp_rank) {
    (void)sp_rank;
    const struct sp_shape s = problem_shape(p);
    return (p->forward ? volume_ring_forward(&s) : 0) +
           (p->backward ? volume_ring_backward(&s) : 0);
}

static size_t rows(const struct problem *p) {
    return (size_t)p->batch * (size_t)p->heads * (size_t)problem_local_tokens(p);
}

/* Two visiting K/V blocks, and dK/dV leaving and arriving; a partial output with its LSE, and this
 * rank's contribution to a visiting block's gradient. */
static void memory(const struct problem *p, const struct predict_env *env,
                   struct mem_predict *out) {
    (void)env;
    const struct sp_shape s = problem_shape(p);
    const size_t grads = local_kv_bytes(&s) / s.elem_bytes;
    out->bytes[MEM_ACTIVATIONS] += 4 * rows(p) * (p->backward ? 2 : 1);
    const size_t visitors = local_kv_bytes(&s) * (p->sp_size == 2 ? 1 : 2);
    out->bytes[MEM_EXCHANGE] += visitors + (p->backward ? 2 * grads * s.grad_bytes : 0);
    out->bytes[MEM_WORKSPACE] += local_q_bytes(&s) + 4 * rows(p) + (p->backward ? 4 * grads : 0);
    if (p->dtype != DTYPE_FP32)
        out->bytes[MEM_WORKSPACE] += local_q_bytes(&s) / s.elem_bytes * 4;
}

static void close_ring(struct attention *a) {
    struct ring *s = a->state;
    const struct device_row *row = a->dev->row;
    if (!s)
        return;
    struct plan *const plans[] = {s->grad, s->hop[1], s->hop[0], s->first};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        plan_free(plans[i]);
    void *const arrays[] = {s->contribution, s->delta, s->lse_part, s->lse, s->o_part, s->o_sum};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        row->free(a->dev, a->ledger, arrays[i]);
    struct buffer *const buffers[] = {&s->wire_in, &s->wire_out, &s->kv[1], &s->kv[0]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(a->transport, buffers[i]);
    free(s);
}

static enum status alloc_all(struct attention *a, struct ring *s) {
    const struct problem *p = &a->problem;
    const size_t kv = 2 * attention_kv_elements(p);
    enum status st = attention_floats(a, MEM_ACTIVATIONS, rows(p), &s->lse);
    if (st == ST_OK && p->backward)
        st = attention_floats(a, MEM_ACTIVATIONS, rows(p), &s->delta);
    if (st == ST_OK)
        st = attention_floats(a, MEM_WORKSPACE, rows(p), &s->lse_part);
    if (st == ST_OK)
        s->o_part = a->dev->row->alloc(a->dev, a->ledger, MEM_WORKSPACE, a->o.bytes);
    if (st == ST_OK && p->dtype != DTYPE_FP32)
        st = attention_floats(a, MEM_WORKSPACE, rows(p) * (size_t)p->head_dim, &s->o_sum);
    if (st == ST_OK && p->backward)
        st = attention_floats(a, MEM_WORKSPACE, kv, &s->contribution);
    const int visitors = p->sp_size == 2 ? 1 : 2;
    for (int i = 0; i < visitors && st == ST_OK; i++)
        st = buffer_alloc(a->transport, MEM_EXCHANGE, a->kv.bytes, &s->kv[i]);
    const size_t wire = kv * dtype_bytes(p->grad_dtype);
    if (st == ST_OK && p->backward)
        st = buffer_alloc(a->transport, MEM_EXCHANGE, wire, &s->wire_out);
    if (st == ST_OK && p->backward)
        st = buffer_alloc(a->transport, MEM_EXCHANGE, wire, &s->wire_in);
    return st == ST_OK && !s->o_part ? ST_ENV : st;
}

static enum status plan_all(struct attention *a, struct ring *s) {
    enum status st = ring_hop_plan(a->transport, a->sp, &a->kv, &s->kv[0], &s->first);
    for (int i = 0; i < 2 && st == ST_OK && s->kv[1].data; i++)
        st = ring_hop_plan(a->transport, a->sp, &s->kv[i], &s->kv[1 - i], &s->hop[i]);
    if (st == ST_OK && a->problem.backward)
        st = ring_hop_plan(a->transport, a->sp, &s->wire_out, &s->wire_in, &s->grad);
    return st;
}

static enum status open_ring(struct attention *a) {
    struct ring *s = calloc(1, sizeof *s);
    enum status st = s ? ST_OK : fail(ST_ENV, "out of memory for a method");
    a->state = s;
    if (st == ST_OK)
        st = alloc_all(a, s);
    st = group_agree(a->sp, st);
    return st == ST_OK ? plan_all(a, s) : st;
}

static void poll_active(void *arg) {
    const struct ring *s = arg;
    for (int i = 0; i < 2; i++)
        if (s->active[i])
            plan_progress(s->active[i]);
}

/* The hop that brings the block of step + 1 while that of step is computed with; NULL after the
 * last. */
static struct plan *next_hop(const struct ring *s, int step, int steps) {
    if (step + 1 >= steps)
        return NULL;
    return step == 0 ? s->first : s->hop[(step - 1) % 2];
}

/* This rank's queries against the block that visits at step: its owner is `step` ranks back. */
static struct attn_args block_args(const struct attention *a, int step) {
    struct ring *s = a->state;
    struct attn_args args = attention_args(a);
    const int owner = (a->sp->rank - step + a->sp->size) % a->sp->size;
    args.k_pos = a->pos + (size_t)owner * (size_t)args.k_tokens;
    if (step > 0) {
        args.k = s->kv[(step - 1) % 2].data;
        args.v = (const char *)args.k + a->kv.bytes / 2;
    }
    args.lse = s->lse;
    args.delta = s->delta;
    args.poll = poll_active;
    args.poll_arg = s;
    return args;
}

static void start_hop(struct attention *a, struct ring *s, int slot, struct plan *plan,
                      enum phase phase) {
    s->active[slot] = plan;
    if (!plan)
        return;
    trace_begin(a->transport->trace, phase);
    plan_start(plan);
    trace_end(a->transport->trace);
}

static void wait_hop(struct attention *a, struct ring *s, int slot, enum phase phase) {
    if (!s->active[slot])
        return;
    trace_begin(a->transport->trace, phase);
    plan_wait(s->active[slot]);
    trace_end(a->transport->trace);
    s->active[slot] = NULL;
}

static struct rows_shape rows_shape(const struct attention *a) {
    const struct problem *p = &a->problem;
    return (struct rows_shape){p->batch, problem_local_tokens(p), p->heads, p->head_dim};
}

static void forward(struct attention *a) {
    struct ring *s = a->state;
    const struct device_row *row = a->dev->row;
    struct trace *trace = a->transport->trace;
    const size_t n_o = rows(&a->problem) * (size_t)a->problem.head_dim;
    const int steps = a->sp->size;
    float *o_sum = s->o_sum ? s->o_sum : a->o.data;
    for (int step = 0; step < steps; step++) {
        start_hop(a, s, 0, next_hop(s, step, steps), PHASE_RING);
        struct attn_args args = block_args(a, step);
        if (step > 0) {
            args.o = s->o_part;
            args.lse = s->lse_part;
        }
        trace_begin(trace, PHASE_ATTENTION);
        row->attn_forward(a->dev, &args);
        trace_end(trace);
        trace_begin(trace, PHASE_MERGE);
        if (step > 0)
            row->merge(a->dev, rows_shape(a), o_sum, s->lse, s->o_part, s->lse_part);
        else if (s->o_sum)
            row->convert(a->dev, s->o_sum, DTYPE_FP32, a->o.data, a->problem.dtype, n_o);
        trace_end(trace);
        wait_hop(a, s, 0, PHASE_RING);
    }
    if (s->o_sum)
        row->convert(a->dev, a->o.data, a->problem.dtype, s->o_sum, DTYPE_FP32, n_o);
}

/* dK, dV of this rank for the block of step >= 1, on top of what arrived with it, sent on. */
static void pass_gradient_on(struct attention *a, struct ring *s, int step) {
    const struct device_row *row = a->dev->row;
    const enum dtype wire = a->problem.grad_dtype;
    const size_t n = 2 * attention_kv_elements(&a->problem);
    wait_hop(a, s, 1, PHASE_RING_BWD);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    if (step > 1)
        row->add(a->dev, s->contribution, s->wire_in.data, wire, n);
    row->convert(a->dev, s->wire_out.data, wire, s->contribution, DTYPE_FP32, n);
    trace_end(a->transport->trace);
    start_hop(a, s, 1, s->grad, PHASE_RING_BWD);
}

static void backward(struct attention *a) {
    struct ring *s = a->state;
    const struct device_row *row = a->dev->row;
    struct trace *trace = a->transport->trace;
    const size_t n = attention_kv_elements(&a->problem);
    const int steps = a->sp->size;
    trace_begin(trace, PHASE_ATTENTION_BWD);
    row->delta(a->dev, rows_shape(a), a->o.data, a->dout.data, s->delta);
    row->zero(a->dev, a->dq.data, a->dq.bytes);
    row->zero(a->dev, a->dkv.data, a->dkv.bytes);
    trace_end(trace);
    for (int step = 0; step < steps; step++) {
        start_hop(a, s, 0, next_hop(s, step, steps), PHASE_RING_BWD);
        struct attn_args args = block_args(a, step);
        trace_begin(trace, PHASE_ATTENTION_BWD);
        if (step > 0) {
            args.dk = s->contribution;
            args.dv = s->contribution + n;
            row->zero(a->dev, s->contribution, 2 * n * sizeof *s->contribution);
        }
        row->attn_backward(a->dev, &args);
        trace_end(trace);
        if (step > 0)
            pass_gradient_on(a, s, step);
        wait_hop(a, s, 0, PHASE_RING_BWD);
    }
    wait_hop(a, s, 1, PHASE_RING_BWD);
    trace_begin(trace, PHASE_ACCUMULATE);
    row->add(a->dev, a->dkv.data, s->wire_in.data, a->problem.grad_dtype, 2 * n);
    trace_end(trace);
}

static struct lse_view lse(const struct attention *a) {
    const struct ring *s = a->state;
    return (struct lse_view){
        s->lse, s->delta, 0, a->problem.heads, problem_local_tokens(&a->problem), a->mine};
}

const struct sp_method sp_ring = {
    .name = "ring",
    .help = "K/V blocks travel round a ring, compute overlaps the hops (Ring Attention)",
    .default_layout = default_layout,
    .split = split,
    .supports = supports,
    .volume = volume,
    .memory = memory,
    .open = open_ring,
    .close = close_ring,
    .forward = forward,
    .backward = backward,
    .lse = lse,
};
