#include "attn/heads_exchange.h"

#include "comm/exchange.h"

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
    const struct ulysses_tensor in[QKV_PARTS] = {[QKV_Q] = {&a->q, 0, &x->q, 0, false},
                                                 [QKV_K] = {&a->kv, 0, &x->kv, 0, true},
                                                 [QKV_V] = {&a->kv, v, &x->kv, v_here, true}};
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
        [QKV_Q] = {dq, 0, dq_here, 0, false},
        [QKV_K] = {dkv, 0, dkv_here, 0, true},
        [QKV_V] = {dkv, dkv->bytes / 2, dkv_here, dkv_here->bytes / 2, true}};
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

void heads_exchange_start(struct heads_exchange *x, enum qkv_part part) {
    struct trace *trace = x->a->transport->trace;
    trace_begin(trace, PHASE_ALLTOALL_QKV);
    plan_start(x->to_heads[part]);
    trace_end(trace);
    x->in_flight[part] = true;
}

bool heads_exchange_poll(struct heads_exchange *x) {
    bool any = false;
    for (int i = 0; i < QKV_PARTS; i++) {
        any |= x->in_flight[i];
        if (x->in_flight[i])
            plan_progress(x->to_heads[i]);
    }
    return any;
}

/* Runs plans one after the other, or with overlap all at once; those in flight are finished. */
static void run_parts(struct heads_exchange *x, struct plan *const *plans, const bool *in_flight) {
    const bool overlap = x->a->problem.overlap;
    for (int i = 0; i < QKV_PARTS; i++) {
        if (!plans[i])
            continue;
        if (!in_flight || !in_flight[i])
            plan_start(plans[i]);
        if (!overlap)
            plan_wait(plans[i]);
    }
    for (int i = 0; i < QKV_PARTS && overlap; i++)
        if (plans[i])
            plan_wait(plans[i]);
}

void heads_exchange_inputs(struct heads_exchange *x) {
    struct trace *trace = x->a->transport->trace;
    trace_begin(trace, PHASE_ALLTOALL_QKV);
    run_parts(x, x->to_heads, x->in_flight);
    trace_end(trace);
    for (int i = 0; i < QKV_PARTS; i++)
        x->in_flight[i] = false;
}

void heads_exchange_output(struct heads_exchange *x) {
    struct trace *trace = x->a->transport->trace;
    trace_begin(trace, PHASE_ALLTOALL_O);
    plan_run(x->o_back);
    trace_end(trace);
}

void heads_exchange_output_grad(struct heads_exchange *x) {
    struct trace *trace = x->a->transport->trace;
    trace_begin(trace, PHASE_ALLTOALL_DO);
    plan_run(x->dout_in);
    trace_end(trace);
}

/* Gradients to the type in which they travel. */
static void round_out(const struct heads_exchange *x) {
    struct attention *a = x->a;
    const struct buffer *const pairs[][2] = {{&x->dq_out, &x->dq}, {&x->dkv_out, &x->dkv}};
    if (!x->dq_out.data)
        return;
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    for (int i = 0; i < 2; i++)
        a->dev->row->convert(a->dev, pairs[i][0]->data, a->problem.dtype, pairs[i][1]->data,
                             DTYPE_FP32, pairs[i][1]->bytes / sizeof(float));
    trace_end(a->transport->trace);
}

/* The slots of dK or dV, of n elements, summed in their order. */
static void sum_slots(const struct heads_exchange *x, float *out, const char *slot, size_t n) {
    struct attention *a = x->a;
    const enum dtype wire = a->problem.dtype;
    a->dev->row->convert(a->dev, out, DTYPE_FP32, slot, wire, n);
    for (int i = 1; i < x->slots; i++)
        a->dev->row->add(a->dev, out, slot + (size_t)i * n * dtype_bytes(wire), wire, n);
}

static void widen_in(const struct heads_exchange *x) {
    struct attention *a = x->a;
    const size_t k = a->dkv.bytes / 2 / sizeof(float);
    if (!x->dkv_in.data)
        return;
    trace_begin(a->transport->trace, PHASE_ACCUMULATE);
    sum_slots(x, a->dkv.data, x->dkv_in.data, k);
    sum_slots(x, (float *)a->dkv.data + k, (const char *)x->dkv_in.data + x->dkv_in.bytes / 2, k);
    if (x->dq_in.data)
        a->dev->row->convert(a->dev, a->dq.data, DTYPE_FP32, x->dq_in.data, a->problem.dtype,
                             a->dq.bytes / sizeof(float));
    trace_end(a->transport->trace);
}

void heads_exchange_input_grads(struct heads_exchange *x) {
    struct trace *trace = x->a->transport->trace;
    round_out(x);
    trace_begin(trace, PHASE_ALLTOALL_DQKV);
    run_parts(x, x->to_tokens, NULL);
    trace_end(trace);
    widen_in(x);
}
