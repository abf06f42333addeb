/* The Ulysses exchange of a layer: from each rank's tokens with all heads to all tokens of the
 * group with a slice of heads, and back (Jacobs et al., "DeepSpeed Ulysses", 2023).
 *
 * Heads are shared as evenly as can be (comm/shape/shape.h). K/V heads that several ranks need are
 * replicated; the gradients of the replicas are summed where the tokens live. All that travels is
 * in dtype, gradients too: computed in fp32, they are rounded before they leave. */
#ifndef SPB_ATTN_METHOD_PARTS_HEADS_EXCHANGE_H
#define SPB_ATTN_METHOD_PARTS_HEADS_EXCHANGE_H

#include "attn/method/parts/slice.h"

struct heads_exchange {
    struct attention *a;
    struct group *group;
    struct head_share share;
    int slots; /* copies of dK/dV that arrive, see kv_replica_slots() */

    /* The slice of heads. */
    struct buffer q, kv, o, dout, dq, dkv;

    /* Gradients as they travel, where that is not how they are computed or kept: leaving, of the
     * slice, and arriving, of the tokens, dkv_in as K then V of [slots, ...]. */
    struct buffer dq_out, dkv_out, dq_in, dkv_in;

    /* Q, K and V, or all of them fused in the first. */
    struct plan *to_heads[QKV_PARTS], *to_tokens[QKV_PARTS];
    struct plan *o_back, *dout_in;
};

/* Collective over group. Zero-initialise; closed by heads_exchange_close(), also after a failure.
 */
enum status heads_exchange_open(struct heads_exchange *x, struct attention *a, struct group *group);
void heads_exchange_close(struct heads_exchange *x);

/* The head side, without positions. */
struct slice heads_exchange_slice(const struct heads_exchange *x);

/* a->q and a->kv to the slice. A part, fused the last one, may set out ahead, while something else
 * is computed. */
void heads_exchange_ahead(struct heads_exchange *x, enum attn_part part);
void heads_exchange_inputs(struct heads_exchange *x);

/* The slice's O to a->o. */
void heads_exchange_output(struct heads_exchange *x);

/* a->dout to the slice; ahead: it only sets out. */
void heads_exchange_output_grad_ahead(struct heads_exchange *x);
void heads_exchange_output_grad(struct heads_exchange *x);

/* The slice's dQ, dK, dV set out for a->dq, a->dkv; and a part of them is there. Once each, K
 * first.
 */
void heads_exchange_input_grads(struct heads_exchange *x);
void heads_exchange_input_grad(struct heads_exchange *x, enum attn_part part);

#endif
