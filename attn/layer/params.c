#include "attn/layer/params.h"

/* Of n elements, one rank's. */
static size_t shard_elements(size_t n, int ranks) {
    return (n + (size_t)ranks - 1) / (size_t)ranks;
}

enum status params_scratch_open(struct params_scratch *s, struct transport *t, struct group *group,
                                size_t n, bool backward) {
    *s = (struct params_scratch){.transport = t};
    if (group->size == 1)
        return ST_OK;
    const size_t bytes = shard_elements(n, group->size) * (size_t)group->size * sizeof(float);
    enum status st = buffer_alloc(t, MEM_WEIGHTS, bytes, &s->whole);
    if (st == ST_OK && backward)
        st = buffer_alloc(t, MEM_GRADIENTS, bytes, &s->grad_whole);
    if (st == ST_OK && backward)
        st = buffer_alloc(t, MEM_EXCHANGE, bytes, &s->staging);
    return group_agree(group, st);
}

void params_scratch_close(struct params_scratch *s) {
    if (!s->transport)
        return;
    buffer_free(s->transport, &s->staging);
    buffer_free(s->transport, &s->grad_whole);
    buffer_free(s->transport, &s->whole);
}

enum status params_open(struct params *p, struct device *dev, struct transport *t,
                        struct in_flight *in_flight, struct group *group, size_t n, bool backward,
                        const struct params_scratch *scratch) {
    *p = (struct params){
        .dev = dev,
        .transport = t,
        .in_flight = in_flight,
        .group = group,
        .n = n,
        .shard_n = shard_elements(n, group->size),
        .whole = &scratch->whole,
        .grad_whole = &scratch->grad_whole,
        .staging = &scratch->staging,
    };
    const size_t bytes = p->shard_n * sizeof(float);
    enum status st = buffer_alloc(t, MEM_WEIGHTS, bytes, &p->shard);
    if (st == ST_OK && backward)
        st = buffer_alloc(t, MEM_GRADIENTS, bytes, &p->grad_shard);
    st = group_agree(group, st);
    if (st != ST_OK || group->size == 1)
        return st;
    st = allgather_plan(t, group, TRAFFIC_PARAM, &p->shard, 0, p->whole, 0, bytes, &p->gather);
    if (st == ST_OK && backward)
        st = reduce_scatter_plan(t, group, TRAFFIC_PARAM, p->grad_whole, 0, p->staging, bytes,
                                 &p->scatter);
    return st;
}

void params_close(struct params *p) {
    if (!p->transport)
        return;
    plan_free(p->scatter);
    plan_free(p->gather);
    buffer_free(p->transport, &p->grad_shard);
    buffer_free(p->transport, &p->shard);
    *p = (struct params){0};
}

const float *params_gather(const struct params *p) {
    if (!p->gather)
        return p->shard.data;
    in_flight_start(p->in_flight, p->gather, PHASE_PARAM_GATHER);
    in_flight_finish(p->in_flight, p->gather, PHASE_PARAM_GATHER);
    return p->whole->data;
}

void params_prefetch(const struct params *p) {
    in_flight_ahead(p->in_flight, p->gather, PHASE_PARAM_GATHER);
}

float *params_gradient(struct params *p) {
    if (!p->scatter)
        return p->grad_shard.data;
    /* The padding behind the last parameter is summed too, so it must be something. */
    float *whole = p->grad_whole->data;
    const size_t padded = p->shard_n * (size_t)p->group->size;
    p->dev->row->zero(p->dev, whole + p->n, (padded - p->n) * sizeof *whole);
    return whole;
}

void params_reduce_start(struct params *p) {
    in_flight_start(p->in_flight, p->scatter, PHASE_GRAD_SCATTER);
}

void params_reduce_finish(struct params *p) {
    if (!p->scatter)
        return;
    struct trace *trace = p->transport->trace;
    in_flight_finish(p->in_flight, p->scatter, PHASE_GRAD_SCATTER);
    trace_begin(trace, PHASE_ACCUMULATE);
    /* In rank order, so that the sum does not depend on who came first. */
    const float *slots = p->staging->data;
    p->dev->row->copy(p->dev, p->grad_shard.data, slots, p->shard_n * sizeof *slots);
    for (int r = 1; r < p->group->size; r++)
        p->dev->row->add(p->dev, p->grad_shard.data, slots + (size_t)r * p->shard_n, DTYPE_FP32,
                         p->shard_n);
    trace_end(trace);
}
