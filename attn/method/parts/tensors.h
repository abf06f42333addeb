/* One rank's attention: its tokens' tensors, and what methods keep beside them. */
#ifndef SPB_ATTN_METHOD_PARTS_TENSORS_H
#define SPB_ATTN_METHOD_PARTS_TENSORS_H

#include "attn/compute/compute.h"
#include "attn/formula/method.h"
#include "comm/plan/in_flight.h"
#include "comm/plan/plan.h"

/* The inputs of attention, in the order in which the layer computes them; and of its backward pass.
 */
enum attn_part { PART_K, PART_V, PART_Q, QKV_PARTS, PART_DOUT = QKV_PARTS };

/* Where LSE of some heads and tokens lies: a method keeps it in the distribution in which it
 * computes. */
struct lse_view {
    const float *lse,
        *delta;       /* [batch, heads, tokens] on the device; delta only after a backward pass */
    int head0, heads; /* global query heads [head0, head0 + heads) */
    int tokens;
    const int32_t *pos; /* [tokens] */
};

struct attention_ops;

struct attention {
    struct problem problem;
    const struct sp_method *method; /* that solves it */
    const struct attention_ops *ops;
    struct compute *compute; /* borrowed, like everything up to ledger */
    struct device *dev;      /* its own */
    struct transport *transport;
    struct group *sp;
    struct mem_ledger *ledger;

    /* [ring_size, ulysses_size, local tokens]: every SP rank's positions, by its place in the two
     * kinds of groups, so that those of a Ulysses group follow one another. */
    int32_t *pos;
    const int32_t *mine; /* this rank's, [local tokens] */

    /* This rank's tokens, all heads. */
    struct buffer q;    /* [batch, tokens, heads, head_dim] */
    struct buffer kv;   /* K then V, each [batch, tokens, kv_heads, head_dim] */
    struct buffer o;    /* like q */
    struct buffer dout; /* backward: like q */
    struct buffer dq;   /* fp32, like q */
    struct buffer dkv;  /* fp32, like kv */
    void *workspace;

    struct in_flight in_flight; /* exchanges under what is computed */

    void *state; /* the method's */
};

/* The positions, tensors and workspace of a, whose problem, method and what it borrows are there.
 * Not collective. Freed by tensors_free(), also after a failure. */
enum status tensors_alloc(struct attention *a);
void tensors_free(struct attention *a);

/* Second half of a K then V buffer, in elements of elem_bytes. */
size_t attention_kv_elements(const struct problem *p); /* of K alone, of one rank */

/* An array of floats on the device, in a category. ST_ENV when there is no memory. */
enum status attention_floats(struct attention *a, enum mem_category category, size_t n,
                             float **out);

#endif
