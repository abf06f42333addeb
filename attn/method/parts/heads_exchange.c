#include "attn/method/parts/heads_exchange.h"

#include "comm/plan/exchange.h"

void heads_exchange_close(struct heads_exchange *x) {
    if (!x->a)
        return;
    plan_free(x->dout_in);
    plan_free(x->o_back);
    for (int i = 0; i < QKV_PARTS; i++) {
        plan_free(x->to_tokens[i]);
        plan_free(x->to_heads[i]);
    }
    struct buffer *const buffers[] = {&x->dkv_in, &x->dq_in, &x->dkv_out, &x->dq_out, &x->dkv,
                                      &x->dq,     &x->dout,  &x->o,       &x->kv,     &x->q};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(x->a->transport, buffers[i]);
    *x = (struct heads_exchange){.a = NULL};
}

struct slice heads_exchange_slice(const struct heads_exchange *x) {
    return (struct slice){
        .heads = x->share,
        .tokens = problem_local_tokens(&x->a->problem) * x->group->size,
        .q = &x->q,
        .kv = &x->kv,
        .o = &x->o,
        .dout = &x->dout,
        .dq = &x->dq,
        .dkv = &x->dkv,
    };
}

static enum status alloc_all(struct heads_exchange *x) {
    const struct attention *a = x->a;
    const struct slice s = heads_exchange_slice(x);
    const size_t q = slice_q_elements(a, &s), kv = 2 * slice_k_elements(a, &s);
    const size_t e = dtype_bytes(a->problem.dtype);
    const bool rounded = a->problem.dtype != DTYPE_FP32, backward = a->problem.backward;
    const size_t slots = rounded || x->slots > 1 ? (size_t)x->slots : 0;
    const struct {
        struct buffer *buffer;
        size_t bytes;
        bool needed;
    } tensors[] = {
        {&x->q, q * e, true},
        {&x->kv, kv * e, true},
        {&x->o, q * e, true},
        {&x->dout, q * e, backward},
        {&x->dq, q * sizeof(float), backward},
        {&x->dkv, kv * sizeof(float), backward},
        {&x->dq_out, q * e, backward && rounded},
        {&x->dkv_out, kv * e, backward && rounded},
        {&x->dq_in, a->q.bytes, backward && rounded},
        {&x->dkv_in, slots * a->kv.bytes, backward && slots > 0},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        if (!tensors[i].needed)
            continue;
        const enum status st =
            buffer_alloc(a->transport, MEM_EXCHANGE, tensors[i].bytes, tensors[i].buffer);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

/* One exchange of Q, K and V, or one each. */
static enum status plan_parts(struct heads_exchange *x, const struct ulysses_tensor *parts,
                              bool to_heads, struct plan **out) {
    const struct sp_shape shape = problem_shape(&x->a->problem);
    const int n = x->a->problem.fuse_qkv ? QKV_PARTS : 1;
    enum status st = ST_OK;
    for (int i = 0; i < QKV_PARTS && st == ST_OK; i += n)
        st = to_heads
                 ? ulysses_to_heads_plan(x->a->transport, x->group, &shape, parts + i, n, &out[i])
                 : ulysses_to_tokens_plan(x->a->transport, x->group, &shape, parts + i, n, &out[i]);
    return st;
}

/* The ends between which a gradient travels. */
static const struct buffer *arriving(const struct buffer *wire, const struct buffer *kept) {
    return wire->data ? wire : kept;
}

static enum status plan_all(struct heads_exchange *x) {
    struct attention *a = x->a;
    const struct sp_shape shape = problem_shape(&a->problem);
    const size_t v = a->kv.bytes / 2, v_here = x->kv.bytes / 2;
    const struct ulysses_tensor in[QKV_PARTS] = {[PART_Q] = {&a->q, 0, &x->q, 0, false},
                                                 [PART_K] = {&a->kv, 0, &x->kv, 0, true},
                                                 [PART_V] = {&a->kv, v, &x->kv, v_here, true}};
    const struct ulysses_tensor o = {&a->o, 0, &x->o, 0, false};
    enum status st = plan_parts(x, in, true, x->to_heads);
    if (st == ST_OK)
        st = ulysses_to_tokens_plan(a->transport, x->group, &shape, &o, 1, &x->o_back);
    if (st != ST_OK || !a->problem.backward)
        return st;

    const struct buffer *dq = arriving(&x->dq_in, &a->dq), *dq_here = arriving(&x->dq_out, &x->dq);
    const struct buffer *dkv = arriving(&x->dkv_in, &a->dkv);
    const struct buffer *dkv_here = arriving(&x->dkv_out, &x->dkv);
    const struct ulysses_tensor dout = {&a->dout, 0, &x->dout, 0, false};
    const struct ulysses_tensor back[QKV_PARTS] = {
        [PART_Q] = {dq, 0, dq_here, 0, false},
        [PART_K] = {dkv, 0, dkv_here, 0, true},
        [PART_V] = {dkv, dkv->bytes / 2, dkv_here, dkv_here->bytes / 2, true}};
    st = ulysses_to_heads_plan(a->transport, x->group, &shape, &dout, 1, &x->dout_in);
    return st == ST_OK ? plan_parts(x, back, false, x->to_tokens) : st;
}

enum status heads_exchange_open(struct heads_exchange *x, struct attention *a,
                                struct group *group) {
    const struct problem *p = &a->problem;
    *x = (struct heads_exchange){
        .a = a,
        .group = group,
        .share = head_share(p->heads, p->kv_heads, group->size, group->rank),
        .slots = kv_replica_slots(p->heads, p->kv_heads, group->size),
    };
    const enum status st = group_agree(group, alloc_all(x));
    if (st != ST_OK)
        return st;
    if (x->dkv_in.data)
        a->dev->row->zero(a->dev, x->dkv_in.data, x->dkv_in.bytes);
    return plan_all(x);
}

void heads_exchange_ahead(struct heads_exchange *x, enum attn_part part) {
    const struct attention *a = x->a;
    struct plan *fused = part == PART_Q ? x->to_heads[0] : NULL;
    in_flight_ahead(&x->a->in_flight, a->problem.fuse_qkv ? fused : x->to_heads[part],
                    PHASE_ALLTOALL_QKV);
}

void heads_exchange_inputs(struct heads_exchange *x) {
    struct in_flight *f = &x->a->in_flight;
    for (int i = 0; i < QKV_PARTS; i++)
        in_flight_start(f, x->to_heads[i], PHASE_ALLTOALL_QKV);
    for (int i = 0; i < QKV_PARTS; i++)
        in_flight_finish(f, x->to_heads[i], PHASE_ALLTOALL_QKV);
}

void heads_exchange_output(struct heads_exchange *x) {
    in_flight_start(&x->a->in_flight, x->o_back, PHASE_ALLTOALL_O);
    in_flight_finish(&x->a->in_flight, x->o_back, PHASE_ALLTOALL_O);
}

void heads_exchange_output_grad_ahead(struct heads_exchange *x) {
    in_flight_ahead(&x->a->in_flight, x->dout_in, PHASE_ALLTOALL_DO);
}

void heads_exchange_output_grad(struct heads_exchange *x) {
    in_flight_start(&x->a->in_flight, x->dout_in, PHASE_ALLTOALL_DO);
    in_flight_finish(&x->a->in_flight, x->dout_in, PHASE_ALLTOALL_DO);
}

/* A part of a pair of tensors, K then V: all of Q, a half of K and V. */
static struct buffer part_of(const struct buffer *q, const struct buffer *kv, enum attn_part part) {
    if (part == PART_Q)
        return *q;
    const size_t half = kv->bytes / 2;
    return (struct buffer){(char *)kv->data + (part == PART_V ? half : 0), half, NULL};
}

/* A gradient to the type in which it travels. */
static void round_out(const struct heads_exchange *x, enum attn_part part) {
    struct attention *a = x->a;
    if (!x->dq_out.data)
        return;
    const struct buffer out = part_of(&x->dq_out, &x->dkv_out, part);
    const struct buffer here = part_of(&x->dq, &x->dkv, part);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    a->dev->row->convert(a->dev, out.data, a->problem.dtype, here.data, DTYPE_FP32,
                         here.bytes / sizeof(float));
    trace_end(a->transport->trace);
}

/* The slots in which it arrived, summed in their order: of dQ one. */
static void widen_in(const struct heads_exchange *x, enum attn_part part) {
    struct attention *a = x->a;
    const enum dtype wire = a->problem.dtype;
    if (!(part == PART_Q ? x->dq_in : x->dkv_in).data)
        return;
    const struct buffer in = part_of(&x->dq_in, &x->dkv_in, part);
    const struct buffer out = part_of(&a->dq, &a->dkv, part);
    const size_t n = out.bytes / sizeof(float), slot = n * dtype_bytes(wire);
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    a->dev->row->convert(a->dev, out.data, DTYPE_FP32, in.data, wire, n);
    for (size_t at = slot; at < in.bytes; at += slot)
        a->dev->row->add(a->dev, out.data, (const char *)in.data + at, wire, n);
    trace_end(a->transport->trace);
}

/* Fused, they are rounded before any sets out. */
void heads_exchange_input_grads(struct heads_exchange *x) {
    const int together = x->a->problem.fuse_qkv ? QKV_PARTS : 1;
    for (int i = 0; i < QKV_PARTS; i += together) {
        for (int k = i; k < i + together; k++)
            round_out(x, (enum attn_part)k);
        in_flight_start(&x->a->in_flight, x->to_tokens[i], PHASE_ALLTOALL_DQKV);
    }
}

void heads_exchange_input_grad(struct heads_exchange *x, enum attn_part part) {
    in_flight_finish(&x->a->in_flight, x->to_tokens[part], PHASE_ALLTOALL_DQKV);
    widen_in(x, part);
}
