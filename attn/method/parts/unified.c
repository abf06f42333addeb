#include "attn/method/parts/unified.h"

#include <stdio.h>
#include <stdlib.h>

#include "attn/method/parts/heads_exchange.h"
#include "attn/method/parts/ring_pass.h"
#include "comm/ranks/usp.h"
#include "comm/shape/volume.h"

struct unified {
    struct usp groups;
    struct heads_exchange heads; /* unused where the Ulysses groups are of one rank */
    struct ring_pass ring;
};

enum layout unified_balanced_layout(const struct problem *p) {
    return p->mask.causal ? LAYOUT_ZIGZAG : LAYOUT_CONTIGUOUS;
}

enum layout unified_contiguous_layout(const struct problem *p) {
    (void)p;
    return LAYOUT_CONTIGUOUS;
}

bool unified_heads_suffice(const struct problem *p, char *why, size_t why_size) {
    if (p->heads >= p->ulysses_size)
        return true;
    snprintf(why, why_size,
             "ulysses gives each rank whole heads, but %d heads are fewer than ulysses_size %d; "
             "use --method usp with --ulysses-size %d or less, or --method ring",
             p->heads, p->ulysses_size, p->heads);
    return false;
}

static int ulysses_rank_of(const struct problem *p, int sp_rank) {
    int u, r;
    usp_coordinates(p->inner, p->ulysses_size, p->ring_size, sp_rank, &u, &r);
    return u;
}

size_t unified_volume(const struct problem *p, int sp_rank) {
    const struct sp_shape s = problem_shape(p);
    const int u = ulysses_rank_of(p, sp_rank);
    return (p->forward ? volume_usp_forward(&s, u) : 0) +
           (p->backward ? volume_usp_backward(&s, u) : 0);
}

void unified_memory(const struct problem *p, const struct predict_env *env,
                    struct mem_predict *out) {
    const size_t tokens = (size_t)problem_local_tokens(p) * (size_t)p->ulysses_size;
    struct staging how = env->staging;
    int u, r;
    usp_coordinates(p->inner, p->ulysses_size, p->ring_size, env->sp_rank, &u, &r);
    how.hosts = usp_ulysses_hosts(how.hosts, p->inner, p->ulysses_size, p->ring_size, r);
    if (p->ulysses_size > 1)
        heads_exchange_memory(p, u, &how, out);
    ring_pass_memory(p, head_share(p->heads, p->kv_heads, p->ulysses_size, u), tokens, p->ring_size,
                     out);
}

struct attn_args unified_piece(const struct problem *p, int sp_rank) {
    const struct head_share h =
        head_share(p->heads, p->kv_heads, p->ulysses_size, ulysses_rank_of(p, sp_rank));
    const int tokens = problem_local_tokens(p) * p->ulysses_size;
    return (struct attn_args){.batch = p->batch,
                              .heads = h.nq,
                              .kv_heads = h.nkv,
                              .head_dim = p->head_dim,
                              .q_tokens = tokens,
                              .k_tokens = tokens,
                              .q_head0 = h.q0,
                              .kv_head0 = h.kv0,
                              .group = p->heads / p->kv_heads};
}

static bool has_heads(const struct attention *a) {
    return a->problem.ulysses_size > 1;
}

enum status unified_open(struct attention *a) {
    struct unified *s = calloc(1, sizeof *s);
    enum status st = s ? ST_OK : fail(ST_ENV, "out of memory for a method");
    st = group_agree(a->sp, st);
    if (st == ST_OK)
        st = usp_open(a->sp, a->problem.inner, a->problem.ulysses_size, &s->groups);
    if (st != ST_OK) {
        free(s);
        return st;
    }
    a->state = s;
    struct slice slice = slice_of_tokens(a);
    if (has_heads(a)) {
        st = heads_exchange_open(&s->heads, a, &s->groups.ulysses);
        slice = heads_exchange_slice(&s->heads);
        slice.pos = a->pos; /* a Ulysses group's tokens follow one another */
    }
    st = group_agree(a->sp, st);
    return st == ST_OK ? ring_pass_open(&s->ring, a, &s->groups.ring, &slice) : st;
}

void unified_close(struct attention *a) {
    struct unified *s = a->state;
    if (!s)
        return;
    ring_pass_close(&s->ring);
    heads_exchange_close(&s->heads);
    usp_close(&s->groups);
    free(s);
}

/* A ring's first hop takes K and V, which the backward pass finds in their place. */
void unified_ready(struct attention *a, enum attn_part part) {
    struct unified *s = a->state;
    if (has_heads(a) && part == PART_DOUT)
        heads_exchange_output_grad_ahead(&s->heads);
    else if (has_heads(a))
        heads_exchange_ahead(&s->heads, part);
    else if (part == PART_V || part == PART_DOUT)
        ring_pass_ahead(&s->ring, part == PART_V ? PHASE_RING : PHASE_RING_BWD);
}

void unified_forward(struct attention *a) {
    struct unified *s = a->state;
    if (has_heads(a))
        heads_exchange_inputs(&s->heads);
    ring_pass_forward(&s->ring);
    if (has_heads(a))
        heads_exchange_output(&s->heads);
}

void unified_backward(struct attention *a) {
    struct unified *s = a->state;
    if (has_heads(a))
        heads_exchange_output_grad(&s->heads);
    ring_pass_backward(&s->ring);
    if (!has_heads(a))
        return;
    ring_pass_last_hop(&s->ring);
    heads_exchange_input_grads(&s->heads);
}

/* From a slice of heads the smallest go first: what they are for hides the others. In a ring dQ
 * never left, and what it is for hides the last hop of dK and dV. */
enum attn_part unified_arrival(struct attention *a, int i) {
    static const enum attn_part of_heads[QKV_PARTS] = {PART_K, PART_V, PART_Q};
    static const enum attn_part of_ring[QKV_PARTS] = {PART_Q, PART_K, PART_V};
    struct unified *s = a->state;
    if (has_heads(a)) {
        heads_exchange_input_grad(&s->heads, of_heads[i]);
        return of_heads[i];
    }
    if (of_ring[i] == PART_K)
        ring_pass_last_hop(&s->ring);
    return of_ring[i];
}

struct lse_view unified_lse(const struct attention *a) {
    return ring_pass_lse(&((const struct unified *)a->state)->ring);
}
