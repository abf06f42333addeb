/* A slice of a problem: the tokens and heads that one rank computes on, and where they lie. What
 * methods hand to the parts that they are made of. */
#ifndef SPB_ATTN_METHOD_PARTS_SLICE_H
#define SPB_ATTN_METHOD_PARTS_SLICE_H

#include "attn/method/parts/tensors.h"

struct slice {
    struct head_share heads;
    int tokens;         /* of each sequence */
    const int32_t *pos; /* [group, tokens]: those of every rank of the group, in its order */

    /* Each [batch, tokens, heads here, head_dim], kv and dkv as K then V; dq and dkv are fp32, the
     * others in dtype. Those of the backward pass are empty without one. */
    const struct buffer *q, *kv, *o, *dout, *dq, *dkv;
};

/* This rank's own tokens with all heads; pos is every SP rank's. */
struct slice slice_of_tokens(const struct attention *a);

/* Elements of Q; of K alone; and rows of LSE. */
size_t slice_q_elements(const struct attention *a, const struct slice *s);
size_t slice_k_elements(const struct attention *a, const struct slice *s);
size_t slice_rows(const struct attention *a, const struct slice *s);

/* Q, O and what goes with them. */
struct rows_shape slice_rows_shape(const struct attention *a, const struct slice *s);

/* Kernel arguments of the slice against its own keys; rank: the caller's in the group. Without LSE
 * and delta. */
struct attn_args slice_args(const struct attention *a, const struct slice *s, int rank);

#endif
