/* usp: Q, K, V to heads inside the Ulysses group, a revolution of K/V round the ring, O back to
 * tokens; backward dO to heads, K/V round the ring again with dK/dV beside them on the way home,
 * then dQ, dK, dV back to tokens. Backward, K/V and dK/dV are generated where they stand: this
 * measures exchanges, not the sums between them. */
#include <stdio.h>

#include "comm/op/data/pattern.h"
#include "comm/op/stage/ring.h"
#include "comm/op/stage/ulysses.h"
#include "comm/shape/volume.h"

/* Plans of the ring, behind those of the Ulysses exchange. */
enum { PLAN_KV = ULYSSES_PLANS, PLAN_GRAD = PLAN_KV + 2 };

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    const struct sp_shape *s = &p->shape;
    if (s->ulysses_size * s->ring_size == ranks)
        return ulysses_supports(p, s->ulysses_size, why, why_size);
    snprintf(why, why_size, "ulysses_size %d does not divide the %d ranks of a sequence",
             s->ulysses_size, ranks);
    return false;
}

static int ulysses_rank_of(const struct op_params *p, int rank) {
    int u, r;
    usp_coordinates(p->inner, p->shape.ulysses_size, p->shape.ring_size, rank, &u, &r);
    return u;
}

static size_t heads_memory(const struct op_params *p, int rank, const struct staging *how,
                           bool backward) {
    const struct sp_shape *s = &p->shape;
    struct staging inside = *how;
    int u, r;
    usp_coordinates(p->inner, s->ulysses_size, s->ring_size, rank, &u, &r);
    inside.hosts = usp_ulysses_hosts(how->hosts, p->inner, s->ulysses_size, s->ring_size, r);
    return ulysses_memory(p, u, &inside, backward);
}

/* The largest block of K/V in any ring, and what travels with it. */
static size_t largest_block(const struct op_params *p) {
    size_t most = 0;
    for (int u = 0; u < p->shape.ulysses_size; u++) {
        const size_t bytes = share_kv_bytes(&p->shape, u);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

static size_t gradient_bytes(const struct op_params *p, size_t block) {
    return block / p->shape.elem_bytes * p->shape.grad_bytes;
}

static size_t forward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    return ulysses_send_buffer(p, false) + (p->shape.ring_size > 1 ? largest_block(p) : 0);
}

static size_t backward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    const size_t block = p->shape.ring_size > 1 ? largest_block(p) : 0;
    return ulysses_send_buffer(p, true) + block + gradient_bytes(p, block);
}

static size_t forward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_usp_forward(&p->shape, ulysses_rank_of(p, rank));
}

static size_t backward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_usp_backward(&p->shape, ulysses_rank_of(p, rank));
}

/* Forward, K/V take turns between where the all-to-all puts them and a second buffer. */
static size_t forward_memory(const struct op_params *p, int ranks, int rank,
                             const struct staging *how) {
    (void)ranks;
    const int u = ulysses_rank_of(p, rank);
    return heads_memory(p, rank, how, false) +
           (p->shape.ring_size > 1 ? share_kv_bytes(&p->shape, u) : 0);
}

static size_t backward_memory(const struct op_params *p, int ranks, int rank,
                              const struct staging *how) {
    (void)ranks;
    const int u = ulysses_rank_of(p, rank);
    const size_t block = p->shape.ring_size > 1 ? share_kv_bytes(&p->shape, u) : 0;
    return heads_memory(p, rank, how, true) + 2 * (block + gradient_bytes(p, block));
}

/* The groups, which both stages share, and the exchange of heads. Groups that succeed stop with
 * those that fail. */
static enum status create_heads(struct op_stage *s) {
    enum status st = ST_OK;
    if (s->usp->ulysses.size == 0)
        st = group_agree(s->group,
                         usp_open(s->group, s->params.inner, s->params.shape.ulysses_size, s->usp));
    if (st == ST_OK)
        st = ulysses_create(s);
    return group_agree(s->group, st);
}

static enum status forward_create(struct op_stage *s) {
    enum status st = create_heads(s);
    if (st != ST_OK || s->usp->ring.size == 1)
        return st;
    st = stage_buffer(s, HEAD_SIDE_KV_2, s->buffers[HEAD_SIDE_KV].bytes);
    if (st == ST_OK)
        st = ring_pair_plans(s, &s->usp->ring, HEAD_SIDE_KV, PLAN_KV);
    return group_agree(s->group, st);
}

static enum status backward_create(struct op_stage *s) {
    enum status st = create_heads(s);
    if (st != ST_OK || s->usp->ring.size == 1)
        return st;
    const size_t block = share_kv_bytes(&s->params.shape, s->usp->ulysses.rank);
    const size_t grad = gradient_bytes(&s->params, block);
    const struct buffer_size sizes[] = {
        {RING_KV, block}, {RING_KV + 1, block}, {RING_GRAD, grad}, {RING_GRAD + 1, grad}};
    st = stage_buffers(s, sizes, 4);
    if (st == ST_OK)
        st = ring_pair_plans(s, &s->usp->ring, RING_KV, PLAN_KV);
    if (st == ST_OK)
        st = ring_pair_plans(s, &s->usp->ring, RING_GRAD, PLAN_GRAD);
    return group_agree(s->group, st);
}

static void forward_fill(struct op_stage *s) {
    heads_fill(s);
    pattern_poison(s->buffers[HEAD_SIDE_KV_2].data, s->buffers[HEAD_SIDE_KV_2].bytes);
}

static void backward_fill(struct op_stage *s) {
    heads_fill(s);
    if (s->usp->ring.size == 1)
        return;
    heads_block_fill(s, false, s->buffers[RING_KV].data);
    heads_block_fill(s, true, s->buffers[RING_GRAD].data);
    for (int i = RING_KV + 1; i <= RING_GRAD + 1; i += 2)
        pattern_poison(s->buffers[i].data, s->buffers[i].bytes);
}

static void hop(struct op_stage *s, int number) {
    ring_pair_hop(s, PLAN_KV, s->backward ? PLAN_GRAD : -1, number);
}

static void run(struct op_stage *s) {
    ulysses_to_heads(s);
    for (int i = 0; i < s->usp->ring.size - 1; i++)
        hop(s, i);
    ulysses_to_tokens(s);
}

/* After hops hops the blocks of the rank so many back in the ring must have arrived. */
static uint64_t blocks_wrong(struct op_stage *s, int hops) {
    const int size = s->usp->ring.size, source = (s->usp->ring.rank - hops + size) % size;
    const int kv = s->backward ? RING_KV : HEAD_SIDE_KV;
    uint64_t wrong = heads_block_wrong(s, false, source, s->buffers[kv + hops % 2].data);
    if (s->backward)
        wrong += heads_block_wrong(s, true, source, s->buffers[RING_GRAD + hops % 2].data);
    return wrong;
}

/* The steps of run(), each checked before the next one overwrites what it needs. */
static uint64_t verify(struct op_stage *s) {
    s->ops->fill(s);
    ulysses_to_heads(s);
    uint64_t wrong = heads_wrong(s);
    for (int i = 0; i < s->usp->ring.size - 1; i++) {
        hop(s, i);
        wrong += blocks_wrong(s, i + 1);
    }
    ulysses_to_tokens(s);
    return wrong + heads_tokens_wrong(s);
}

static const struct stage_ops stage_forward = {
    supports,       forward_send_buffer, NULL, forward_volume, forward_memory,
    forward_create, forward_fill,        run,  verify};
static const struct stage_ops stage_backward = {
    supports,        backward_send_buffer, NULL, backward_volume, backward_memory,
    backward_create, backward_fill,        run,  verify};

/* Without heads there is nothing to choose by, and supports() says so. */
static void split(struct sp_shape *s) {
    if (s->heads == 0)
        s->ulysses_size = s->sp_size;
    else if (s->ulysses_size == 0)
        s->ulysses_size = usp_default_ulysses_size(s->sp_size, s->kv_heads);
    s->ring_size = s->sp_size / s->ulysses_size;
}

const struct op_row op_usp = {
    .name = "usp",
    .help = "Ulysses inside groups, then rings of K/V across them",
    .forward = &stage_forward,
    .backward = &stage_backward,
    .options = (const char *const[]){"fuse_qkv", "ulysses_size", "inner", NULL},
    .split = split,
    .two_groups = true,
};
