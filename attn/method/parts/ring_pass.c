#include "attn/method/parts/ring_pass.h"

#include "comm/plan/exchange.h"

void ring_pass_close(struct ring_pass *r) {
    struct attention *a = r->a;
    if (!a)
        return;
    struct plan *const plans[] = {r->grad, r->hop[1], r->hop[0], r->first};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        plan_free(plans[i]);
    void *const arrays[] = {r->contribution, r->o_sum, r->o_part, r->lse_part, r->delta, r->lse};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        a->dev->row->free(a->dev, a->ledger, arrays[i]);
    struct buffer *const buffers[] = {&r->wire_in, &r->wire_out, &r->kv[1], &r->kv[0]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(a->transport, buffers[i]);
    *r = (struct ring_pass){.a = NULL};
}

static enum status alloc_arrays(struct ring_pass *r) {
    struct attention *a = r->a;
    const struct problem *p = &a->problem;
    const size_t q = slice_q_elements(a, &r->slice), rows = slice_rows(a, &r->slice);
    const bool ring = r->group->size > 1;
    enum status st = attention_floats(a, MEM_ACTIVATIONS, rows, &r->lse);
    if (st == ST_OK && p->backward)
        st = attention_floats(a, MEM_ACTIVATIONS, rows, &r->delta);
    if (st != ST_OK || !ring)
        return st;
    st = attention_floats(a, MEM_WORKSPACE, rows, &r->lse_part);
    if (st == ST_OK && p->dtype != DTYPE_FP32)
        st = attention_floats(a, MEM_WORKSPACE, q, &r->o_sum);
    if (st == ST_OK && p->backward)
        st = attention_floats(a, MEM_WORKSPACE, 2 * slice_k_elements(a, &r->slice),
                              &r->contribution);
    if (st != ST_OK)
        return st;
    r->o_part = a->dev->row->alloc(a->dev, a->ledger, MEM_WORKSPACE, q * dtype_bytes(p->dtype));
    return r->o_part ? ST_OK : ST_ENV;
}

static enum status alloc_buffers(struct ring_pass *r) {
    const struct problem *p = &r->a->problem;
    const int visitors = r->group->size < 3 ? r->group->size - 1 : 2;
    const size_t wire = 2 * slice_k_elements(r->a, &r->slice) * dtype_bytes(p->grad_dtype);
    enum status st = ST_OK;
    for (int i = 0; i < visitors && st == ST_OK; i++)
        st = buffer_alloc(r->a->transport, MEM_EXCHANGE, r->slice.kv->bytes, &r->kv[i]);
    if (visitors == 0 || !p->backward)
        return st;
    if (st == ST_OK)
        st = buffer_alloc(r->a->transport, MEM_EXCHANGE, wire, &r->wire_out);
    if (st == ST_OK)
        st = buffer_alloc(r->a->transport, MEM_EXCHANGE, wire, &r->wire_in);
    return st;
}

static enum status plan_hops(struct ring_pass *r) {
    struct transport *t = r->a->transport;
    if (r->group->size == 1)
        return ST_OK;
    enum status st = ring_hop_plan(t, r->group, r->slice.kv, &r->kv[0], &r->first);
    for (int i = 0; i < 2 && st == ST_OK && r->kv[1].data; i++)
        st = ring_hop_plan(t, r->group, &r->kv[i], &r->kv[1 - i], &r->hop[i]);
    if (st == ST_OK && r->a->problem.backward)
        st = ring_hop_plan(t, r->group, &r->wire_out, &r->wire_in, &r->grad);
    return st;
}

enum status ring_pass_open(struct ring_pass *r, struct attention *a, struct group *group,
                           const struct slice *slice) {
    *r = (struct ring_pass){.a = a, .group = group, .slice = *slice};
    enum status st = alloc_arrays(r);
    if (st == ST_OK)
        st = alloc_buffers(r);
    st = group_agree(group, st);
    return st == ST_OK ? plan_hops(r) : st;
}

/* The hop that brings the block of step + 1 while that of step is computed with; NULL after the
 * last. */
static struct plan *next_hop(const struct ring_pass *r, int step) {
    if (step + 1 >= r->group->size)
        return NULL;
    return step == 0 ? r->first : r->hop[(step - 1) % 2];
}

/* The slice's queries against the block that visits at step: its owner is `step` ranks back. */
static struct attn_args block_args(struct ring_pass *r, int step) {
    const struct group *g = r->group;
    struct attn_args args = slice_args(r->a, &r->slice, g->rank);
    const int owner = (g->rank - step + g->size) % g->size;
    args.k_pos = r->slice.pos + (size_t)owner * (size_t)args.k_tokens;
    if (step > 0) {
        args.k = r->kv[(step - 1) % 2].data;
        args.v = (const char *)args.k + r->slice.kv->bytes / 2;
    }
    args.lse = r->lse;
    args.delta = r->delta;
    args.poll = in_flight_poll;
    args.poll_arg = &r->a->in_flight;
    return args;
}

void ring_pass_ahead(struct ring_pass *r, enum phase phase) {
    in_flight_ahead(&r->a->in_flight, r->first, phase);
}

/* Joins the block of `step` into what the slice's O and LSE hold. */
static void merge(struct ring_pass *r, int step, float *o_sum) {
    struct attention *a = r->a;
    const struct device_row *row = a->dev->row;
    trace_begin(a->transport->trace, PHASE_MERGE);
    if (step > 0)
        a->compute->row->merge(a->compute, slice_rows_shape(a, &r->slice), o_sum, r->lse, r->o_part,
                               r->lse_part);
    else if (r->o_sum)
        row->convert(a->dev, r->o_sum, DTYPE_FP32, r->slice.o->data, a->problem.dtype,
                     slice_q_elements(a, &r->slice));
    trace_end(a->transport->trace);
}

void ring_pass_forward(struct ring_pass *r) {
    struct attention *a = r->a;
    const struct compute_row *row = a->compute->row;
    struct trace *trace = a->transport->trace;
    for (int step = 0; step < r->group->size; step++) {
        struct plan *hop = next_hop(r, step);
        in_flight_start(&a->in_flight, hop, PHASE_RING);
        struct attn_args args = block_args(r, step);
        if (step > 0) {
            args.o = r->o_part;
            args.lse = r->lse_part;
        }
        trace_begin(trace, PHASE_ATTENTION);
        row->attn_forward(a->compute, &args);
        trace_end(trace);
        merge(r, step, r->o_sum ? r->o_sum : r->slice.o->data);
        in_flight_finish(&a->in_flight, hop, PHASE_RING);
    }
    if (!r->o_sum)
        return;
    trace_begin(trace, PHASE_MERGE);
    a->dev->row->convert(a->dev, r->slice.o->data, a->problem.dtype, r->o_sum, DTYPE_FP32,
                         slice_q_elements(a, &r->slice));
    trace_end(trace);
}

/* dK, dV of this rank for the block of step >= 1, on top of what arrived with it, sent on. */
static void pass_gradient_on(struct ring_pass *r, int step) {
    struct attention *a = r->a;
    const enum dtype wire = a->problem.grad_dtype;
    const size_t n = 2 * slice_k_elements(a, &r->slice);
    in_flight_finish(&a->in_flight, r->grad, PHASE_RING_BWD);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    if (step > 1)
        a->dev->row->add(a->dev, r->contribution, r->wire_in.data, wire, n);
    a->dev->row->convert(a->dev, r->wire_out.data, wire, r->contribution, DTYPE_FP32, n);
    trace_end(a->transport->trace);
    in_flight_start(&a->in_flight, r->grad, PHASE_RING_BWD);
}

static void backward_block(struct ring_pass *r, int step) {
    struct attention *a = r->a;
    struct attn_args args = block_args(r, step);
    trace_begin(a->transport->trace, PHASE_ATTENTION_BWD);
    if (step > 0) {
        const size_t k = slice_k_elements(a, &r->slice);
        args.dk = r->contribution;
        args.dv = r->contribution + k;
        a->dev->row->zero(a->dev, r->contribution, 2 * k * sizeof *r->contribution);
    }
    a->compute->row->attn_backward(a->compute, &args);
    trace_end(a->transport->trace);
}

void ring_pass_backward(struct ring_pass *r) {
    struct attention *a = r->a;
    const struct device_row *row = a->dev->row;
    const struct slice *s = &r->slice;
    struct trace *trace = a->transport->trace;
    trace_begin(trace, PHASE_ATTENTION_BWD);
    a->compute->row->delta(a->compute, slice_rows_shape(a, s), s->o->data, s->dout->data, r->delta);
    row->zero(a->dev, s->dq->data, s->dq->bytes);
    row->zero(a->dev, s->dkv->data, s->dkv->bytes);
    trace_end(trace);
    for (int step = 0; step < r->group->size; step++) {
        struct plan *hop = next_hop(r, step);
        in_flight_start(&a->in_flight, hop, PHASE_RING_BWD);
        backward_block(r, step);
        if (step > 0)
            pass_gradient_on(r, step);
        in_flight_finish(&a->in_flight, hop, PHASE_RING_BWD);
    }
}

void ring_pass_last_hop(struct ring_pass *r) {
    struct attention *a = r->a;
    if (!r->grad)
        return;
    in_flight_finish(&a->in_flight, r->grad, PHASE_RING_BWD);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    a->dev->row->add(a->dev, r->slice.dkv->data, r->wire_in.data, a->problem.grad_dtype,
                     2 * slice_k_elements(a, &r->slice));
    trace_end(a->transport->trace);
}

struct lse_view ring_pass_lse(const struct ring_pass *r) {
    const struct slice *s = &r->slice;
    const int32_t *pos = s->pos + (size_t)r->group->rank * (size_t)s->tokens;
    return (struct lse_view){r->lse, r->delta, s->heads.q0, s->heads.nq, s->tokens, pos};
}
