/* local, ulysses, ring and usp, which attn/formula/unified.h says how: an exchange of heads, and a
 * ring. */
#include <stdlib.h>

#include "attn/method/attention.h"
#include "attn/method/parts/heads_exchange.h"
#include "attn/method/parts/ring_pass.h"
#include "comm/ranks/usp.h"

struct unified {
    struct usp groups;
    struct heads_exchange heads; /* unused where the Ulysses groups are of one rank */
    struct ring_pass ring;
};

static bool has_heads(const struct attention *a) {
    return a->problem.ulysses_size > 1;
}

static enum status open_unified(struct attention *a) {
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

static void close_unified(struct attention *a) {
    struct unified *s = a->state;
    if (!s)
        return;
    ring_pass_close(&s->ring);
    heads_exchange_close(&s->heads);
    usp_close(&s->groups);
    free(s);
}

/* A ring's first hop takes K and V, which the backward pass finds in their place. */
static void ready(struct attention *a, enum attn_part part) {
    struct unified *s = a->state;
    if (has_heads(a) && part == PART_DOUT)
        heads_exchange_output_grad_ahead(&s->heads);
    else if (has_heads(a))
        heads_exchange_ahead(&s->heads, part);
    else if (part == PART_V || part == PART_DOUT)
        ring_pass_ahead(&s->ring, part == PART_V ? PHASE_RING : PHASE_RING_BWD);
}

static void forward(struct attention *a) {
    struct unified *s = a->state;
    if (has_heads(a))
        heads_exchange_inputs(&s->heads);
    ring_pass_forward(&s->ring);
    if (has_heads(a))
        heads_exchange_output(&s->heads);
}

static void backward(struct attention *a) {
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
static enum attn_part arrival(struct attention *a, int i) {
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

static struct lse_view lse(const struct attention *a) {
    return ring_pass_lse(&((const struct unified *)a->state)->ring);
}

const struct attention_ops unified_ops = {
    .open = open_unified,
    .close = close_unified,
    .ready = ready,
    .forward = forward,
    .backward = backward,
    .arrival = arrival,
    .lse = lse,
};
