/* Attention of a slice's queries over the keys of all ranks of a group: each rank keeps its
 * queries, K/V blocks travel round a ring, partial results are merged by their LSE (Liu et al.,
 * "Ring Attention", 2023). A hop is started before the compute that it overlaps. In a group of one
 * this is plain attention.
 *
 * Backward, K/V travel once more. The gradient of a block starts at the rank after its home,
 * travels with it, is added to by every rank, and takes a last hop home, where the home's own
 * contribution waits: P - 1 hops of dK/dV in grad_dtype. */
#ifndef SPB_ATTN_METHOD_PARTS_RING_PASS_H
#define SPB_ATTN_METHOD_PARTS_RING_PASS_H

#include "attn/method/parts/slice.h"

struct ring_pass {
    struct attention *a;
    struct group *group;
    struct slice slice;

    float *o_sum;          /* fp32 running output; NULL where the slice's O itself serves */
    void *o_part;          /* a later block's output, in dtype */
    float *lse, *lse_part; /* [batch, heads, tokens] */
    float *delta;

    /* Visiting K/V; the first hop leaves from the slice, which backward needs whole. */
    struct buffer kv[2];
    struct plan *first, *hop[2]; /* slice -> kv[0]; kv[i] -> kv[1 - i] */

    float *contribution; /* dK, dV of this rank for the visiting block, fp32 */
    struct buffer wire_out,
        wire_in; /* dK, dV in grad_dtype: leaving, and arriving from the rank before */
    struct plan *grad;
};

/* Collective over group, whose rank r has the slice at pos [r]; heads and tokens are the same on
 * all. Zero-initialise; closed by ring_pass_close(), also after a failure. */
enum status ring_pass_open(struct ring_pass *r, struct attention *a, struct group *group,
                           const struct slice *slice);
void ring_pass_close(struct ring_pass *r);

/* The slice's k and v may set out on their first hop before a pass, in whose phase waiting for them
 * counts. */
void ring_pass_ahead(struct ring_pass *r, enum phase phase);

/* The slice's q, kv -> o; and dout -> dq, dkv (which are overwritten). dkv is complete when the
 * last hop has been waited for. */
void ring_pass_forward(struct ring_pass *r);
void ring_pass_backward(struct ring_pass *r);
void ring_pass_last_hop(struct ring_pass *r);

struct lse_view ring_pass_lse(const struct ring_pass *r);

#endif
