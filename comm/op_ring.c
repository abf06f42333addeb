/* ring: K/V blocks travel from rank to rank, P - 1 hops in a revolution, through two buffers that
 * take turns; backward they travel again, with dK/dV beside them on the way home. ring-hop: one
 * hop. */
#include <stdio.h>

#include "comm/op.h"
#include "comm/pattern.h"
#include "comm/volume.h"

/* Buffers 0, 1: K/V; 2, 3: dK/dV. Plan i sends buffer i; odd ones send back into the even one. */
enum { KV, GRAD = 2 };

static size_t kv_bytes(const struct op_params *p) {
    return p->by_shape ? local_kv_bytes(&p->shape) : whole_elements(p->bytes, p->shape.elem_bytes);
}

static size_t grad_bytes(const struct op_params *p) {
    return kv_bytes(p) / p->shape.elem_bytes * p->shape.grad_bytes;
}

static size_t hop_bytes(const struct op_params *p, int ranks) {
    (void)ranks;
    return kv_bytes(p);
}

static size_t hop_backward_bytes(const struct op_params *p, int ranks) {
    (void)ranks;
    return kv_bytes(p) + grad_bytes(p);
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    (void)ranks;
    if (kv_bytes(p) > 0)
        return true;
    snprintf(why, why_size, "%zu bytes are less than one %zu-byte element", p->bytes,
             p->shape.elem_bytes);
    return false;
}

static size_t volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return (size_t)(ranks - 1) * kv_bytes(p);
}

static size_t volume_backward(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return (size_t)(ranks - 1) * hop_backward_bytes(p, ranks);
}

static size_t hop_volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return ranks > 1 ? kv_bytes(p) : 0;
}

static size_t hop_volume_backward(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return ranks > 1 ? hop_backward_bytes(p, ranks) : 0;
}

static struct pattern kv_pattern(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_K, s->params.shape.elem_bytes};
}

static struct pattern grad_pattern(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_DO, s->params.shape.grad_bytes};
}

static size_t memory(const struct op_params *p, int ranks, int rank, const char *algorithm) {
    (void)rank;
    (void)algorithm;
    return 2 * hop_bytes(p, ranks);
}

static size_t memory_backward(const struct op_params *p, int ranks, int rank,
                              const char *algorithm) {
    (void)rank;
    (void)algorithm;
    return 2 * hop_backward_bytes(p, ranks);
}

/* Two buffers and the two hops between them. */
static enum status create_pair(struct op_stage *s, int first, size_t bytes) {
    enum status st = stage_buffer(s, first, bytes);
    if (st == ST_OK)
        st = stage_buffer(s, first + 1, bytes);
    for (int i = 0; i < 2 && st == ST_OK; i++)
        st = ring_hop_plan(s->transport, s->group, &s->buffers[first + i],
                           &s->buffers[first + 1 - i], &s->plans[first + i]);
    return st;
}

static enum status create(struct op_stage *s) {
    return create_pair(s, KV, kv_bytes(&s->params));
}

static enum status create_backward(struct op_stage *s) {
    const enum status st = create(s);
    return st == ST_OK ? create_pair(s, GRAD, grad_bytes(&s->params)) : st;
}

static void fill_pair(struct op_stage *s, int first, struct pattern p) {
    const struct buffer *b = &s->buffers[first];
    pattern_fill(&p, s->group->rank, 0, b->data, b->bytes / p.elem_bytes);
    pattern_poison(s->buffers[first + 1].data, b->bytes);
}

static void fill(struct op_stage *s) {
    fill_pair(s, KV, kv_pattern(s));
}

static void fill_backward(struct op_stage *s) {
    fill(s);
    fill_pair(s, GRAD, grad_pattern(s));
}

/* The hop-th hop of what stands in the stage: K/V, and dK/dV where it has them. */
static void hop(struct op_stage *s, int number) {
    struct plan *kv = s->plans[KV + number % 2];
    struct plan *grad = s->plans[GRAD + number % 2];
    plan_start(kv);
    if (grad)
        plan_start(grad);
    plan_wait(kv);
    if (grad)
        plan_wait(grad);
}

static int revolution(const struct op_stage *s) {
    return s->group->size - 1;
}

static int one_hop(const struct op_stage *s) {
    return s->group->size > 1 ? 1 : 0;
}

static void run_ring(struct op_stage *s) {
    for (int i = 0; i < revolution(s); i++)
        hop(s, i);
}

static void run_hop(struct op_stage *s) {
    for (int i = 0; i < one_hop(s); i++)
        hop(s, i);
}

/* After each hop the block of the rank one further back must have arrived, whole. */
static uint64_t verify_hops(struct op_stage *s, int hops) {
    const struct pattern kv = kv_pattern(s), grad = grad_pattern(s);
    uint64_t wrong = 0;
    s->ops->fill(s);
    for (int i = 0; i < hops; i++) {
        hop(s, i);
        const int source = (s->group->rank - i - 1 + s->group->size) % s->group->size;
        const struct buffer *b = &s->buffers[KV + (i + 1) % 2];
        wrong += pattern_wrong(&kv, source, 0, b->data, b->bytes / kv.elem_bytes);
        const struct buffer *g = &s->buffers[GRAD + (i + 1) % 2];
        if (g->data)
            wrong += pattern_wrong(&grad, source, 0, g->data, g->bytes / grad.elem_bytes);
    }
    return wrong;
}

static uint64_t verify_ring(struct op_stage *s) {
    return verify_hops(s, revolution(s));
}

static uint64_t verify_hop(struct op_stage *s) {
    return verify_hops(s, one_hop(s));
}

const struct stage_ops stage_ring = {supports, hop_bytes, hop_bytes, volume,     memory,
                                     create,   fill,      run_ring,  verify_ring};
const struct stage_ops stage_ring_backward = {
    supports,        hop_backward_bytes, hop_backward_bytes, volume_backward, memory_backward,
    create_backward, fill_backward,      run_ring,           verify_ring};
const struct stage_ops stage_hop = {supports, hop_bytes, hop_bytes, hop_volume, memory,
                                    create,   fill,      run_hop,   verify_hop};
const struct stage_ops stage_hop_backward = {
    supports,        hop_backward_bytes, hop_backward_bytes, hop_volume_backward,
    memory_backward, create_backward,    fill_backward,      run_hop,
    verify_hop};
