/* Attention of one rank, by whatever method. */
#ifndef SPB_ATTN_METHOD_ATTENTION_H
#define SPB_ATTN_METHOD_ATTENTION_H

#include "attn/method/parts/tensors.h"

/* What runs a method: one for each RUNS in SP_METHODS of attn/formula/method.h, as RUNS_ops. */
struct attention_ops {
    /* Collective over the SP group. close() is called after a failed open() too. */
    enum status (*open)(struct attention *a);
    void (*close)(struct attention *a);

    /* Of q and kv, or of dout, this part is complete: it may set out while something else is
     * computed, before forward() or backward(). All parts of a pass are announced, or none. */
    void (*ready)(struct attention *a, enum attn_part part);

    /* q, kv -> o; and dout -> dq, dkv (which are overwritten), whose parts may be left on their way
     * home: arrival() waits for the i-th of the three, in the order that is best for the method,
     * and says which it is. */
    void (*forward)(struct attention *a);
    void (*backward)(struct attention *a);
    enum attn_part (*arrival)(struct attention *a, int i);

    struct lse_view (*lse)(const struct attention *a);
};

#define OPS_DECLARE(name, runs) extern const struct attention_ops runs##_ops;
SP_METHODS(OPS_DECLARE)
#undef OPS_DECLARE

/* Allocates the tensors and sets the method up, or local where it comes to that. Collective over
 * sp. Freed by attention_close(), also after a failure. */
enum status attention_open(struct attention *a, const struct problem *problem,
                           const struct sp_method *method, struct compute *compute,
                           struct transport *transport, struct group *sp,
                           struct mem_ledger *ledger);
void attention_close(struct attention *a);

#endif
