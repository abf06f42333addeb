/* One rank's attention: its tokens' tensors, and the SP method that computes on them. */
#ifndef SPB_ATTN_METHOD_PARTS_ATTENTION_H
#define SPB_ATTN_METHOD_PARTS_ATTENTION_H

#include "attn/compute/device.h"
#include "attn/formula/predict.h"
#include "attn/problem/problem.h"
#include "comm/plan/in_flight.h"
#include "comm/plan/plan.h"

struct sp_method;

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

struct attention {
    struct problem problem;
    const struct sp_method *method;
    struct device *dev; /* borrowed, like everything up to ledger */
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

/* Allocates the tensors and sets the method up; a sequence on one rank is local to it, whatever the
 * method. Collective over sp. Freed by attention_close(),
 * also after a failure. */
enum status attention_open(struct attention *a, const struct problem *problem,
                           const struct sp_method *method, struct device *dev,
                           struct transport *transport, struct group *sp,
                           struct mem_ledger *ledger);
void attention_close(struct attention *a);

/* Of q and kv, or of dout, this part is complete: it may set out while something else is computed.
 * All parts of a pass are announced, or none. */
void attention_ready(struct attention *a, enum attn_part part);

/* q, kv -> o; and dout -> dq, dkv (which are overwritten). */
void attention_forward(struct attention *a);
void attention_backward(struct attention *a);

/* Gradients reach dq and dkv one after the other: waits for the i-th, which is returned. After
 * attention_backward() for i = 0, 1, 2. */
enum attn_part attention_arrival(struct attention *a, int i);

struct lse_view attention_lse(const struct attention *a);

/* Second half of a K then V buffer, in elements of elem_bytes. */
size_t attention_kv_elements(const struct problem *p); /* of K alone, of one rank */

/* An array of floats on the device, in a category. ST_ENV when there is no memory. */
enum status attention_floats(struct attention *a, enum mem_category category, size_t n,
                             float **out);

#endif
