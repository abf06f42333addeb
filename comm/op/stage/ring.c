/* ring: K/V blocks travel from rank to rank, P - 1 hops in a revolution, through two buffers that
 * take turns; backward they travel again, with dK/dV beside them on the way home. ring-hop: one
 * hop. Both ways, a block is two halves, each with the K and V of half of the tokens, which travel
 * in opposite directions: as many hops and bytes, on both directions of every link. */
#include "comm/op/stage/ring.h"

#include <stdio.h>

#include "comm/op/data/pattern.h"
#include "comm/shape/volume.h"

/* Buffers 0, 1: K/V; 2, 3: dK/dV. Plan i sends buffer i; odd ones send back into the even one. */
enum { KV, GRAD = 2 };

static size_t kv_bytes(const struct op_params *p) {
    const size_t halves = p->both_ways ? 2 : 1;
    return p->by_shape ? local_kv_bytes(&p->shape)
                       : whole_elements(p->bytes, halves * p->shape.elem_bytes);
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
    if (kv_bytes(p) == 0) {
        snprintf(why, why_size, "%zu bytes are less than one %zu-byte element%s", p->bytes,
                 p->shape.elem_bytes, p->both_ways ? " for each direction" : "");
        return false;
    }
    if (p->by_shape && p->both_ways && local_tokens(&p->shape) % 2 != 0) {
        snprintf(why, why_size,
                 "both directions need two halves of a rank's tokens, which are %zu; --seq %zu "
                 "gives an even number",
                 local_tokens(&p->shape), p->shape.seq + (size_t)ranks);
        return false;
    }
    return true;
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

/* The block, and where it is received: a single rank receives nothing. */
static size_t memory(const struct op_params *p, int ranks, int rank, const struct staging *how) {
    (void)rank;
    (void)how;
    return hop_bytes(p, ranks) * (ranks > 1 ? 2 : 1);
}

static size_t memory_backward(const struct op_params *p, int ranks, int rank,
                              const struct staging *how) {
    (void)rank;
    (void)how;
    return hop_backward_bytes(p, ranks) * (ranks > 1 ? 2 : 1);
}

enum status ring_pair_plans(struct op_stage *s, struct group *ring, int buffer, int plan) {
    if (ring->size == 1)
        return ST_OK;
    enum status st = ST_OK;
    for (int i = 0; i < 2 && st == ST_OK; i++)
        st = (s->params.both_ways ? ring_hop_both_plan : ring_hop_plan)(
            s->transport, ring, &s->buffers[buffer + i], &s->buffers[buffer + 1 - i],
            &s->plans[plan + i]);
    return st;
}

static enum status create_pair(struct op_stage *s, int first, size_t bytes) {
    const struct buffer_size sizes[] = {{first, bytes}, {first + 1, bytes}};
    const enum status st = stage_buffers(s, sizes, s->group->size > 1 ? 2 : 1);
    return st == ST_OK ? ring_pair_plans(s, s->group, first, first) : st;
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
    pattern_poison(s->buffers[first + 1].data, s->buffers[first + 1].bytes);
}

static void fill(struct op_stage *s) {
    fill_pair(s, KV, kv_pattern(s));
}

static void fill_backward(struct op_stage *s) {
    fill(s);
    fill_pair(s, GRAD, grad_pattern(s));
}

void ring_pair_hop(struct op_stage *s, int plan, int second_plan, int number) {
    struct plan *first = s->plans[plan + number % 2];
    struct plan *second = second_plan >= 0 ? s->plans[second_plan + number % 2] : NULL;
    plan_start(first);
    if (second)
        plan_start(second);
    plan_wait(first);
    if (second)
        plan_wait(second);
}

static void hop(struct op_stage *s, int number) {
    ring_pair_hop(s, KV, s->backward ? GRAD : -1, number);
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

/* After hops hops a pair must hold the block of the rank so many back; both ways, the second half
 * that of the rank so many ahead. */
static uint64_t pair_wrong(const struct op_stage *s, int first, struct pattern p, int hops) {
    const struct buffer *b = &s->buffers[first + hops % 2];
    const int size = s->group->size, rank = s->group->rank;
    const int behind = (rank - hops + size) % size, ahead = (rank + hops) % size;
    const size_t n = b->bytes / p.elem_bytes, n_behind = s->params.both_ways ? n / 2 : n;
    return pattern_wrong(&p, behind, 0, b->data, n_behind) +
           pattern_wrong(&p, ahead, n_behind, (const char *)b->data + n_behind * p.elem_bytes,
                         n - n_behind);
}

static uint64_t verify_hops(struct op_stage *s, int hops) {
    uint64_t wrong = 0;
    s->ops->fill(s);
    for (int i = 0; i < hops; i++) {
        hop(s, i);
        wrong += pair_wrong(s, KV, kv_pattern(s), i + 1);
        if (s->backward)
            wrong += pair_wrong(s, GRAD, grad_pattern(s), i + 1);
    }
    return wrong;
}

static uint64_t verify_ring(struct op_stage *s) {
    return verify_hops(s, revolution(s));
}

static uint64_t verify_hop(struct op_stage *s) {
    return verify_hops(s, one_hop(s));
}

static const struct stage_ops stage_ring = {supports, hop_bytes, hop_bytes, volume,     memory,
                                            create,   fill,      run_ring,  verify_ring};
static const struct stage_ops stage_ring_backward = {
    supports,        hop_backward_bytes, hop_backward_bytes, volume_backward, memory_backward,
    create_backward, fill_backward,      run_ring,           verify_ring};
static const struct stage_ops stage_hop = {supports, hop_bytes, hop_bytes, hop_volume, memory,
                                           create,   fill,      run_hop,   verify_hop};
static const struct stage_ops stage_hop_backward = {
    supports,        hop_backward_bytes, hop_backward_bytes, hop_volume_backward,
    memory_backward, create_backward,    fill_backward,      run_hop,
    verify_hop};

static const char *const ring_options[] = {"ring_direction", NULL};

static void split(struct sp_shape *s) {
    s->ulysses_size = 1;
    s->ring_size = s->sp_size;
}

const struct op_row op_ring = {
    .name = "ring",
    .help = "a revolution of K/V; backward K/V again and dK/dV home",
    .forward = &stage_ring,
    .backward = &stage_ring_backward,
    .options = ring_options,
    .split = split,
};

const struct op_row op_ring_hop = {
    .name = "ring-hop",
    .help = "one hop of the ring",
    .forward = &stage_hop,
    .backward = &stage_hop_backward,
    .options = ring_options,
    .split = split,
};
