/* What runs a method: one for each RUNS in SP_METHODS of attn/formula/method.h, as RUNS_ops. */
#ifndef SPB_ATTN_METHOD_OPS_H
#define SPB_ATTN_METHOD_OPS_H

#include "attn/method/parts/tensors.h"

struct attention_ops {
    /* Collective over the SP group. close() is called after a failed open() too. */
    enum status (*open)(struct attention *a);
    void (*close)(struct attention *a);

    /* A part of this rank's tokens is complete and may set out before forward() or backward(),
     * which see to all of which nothing was said. */
    void (*ready)(struct attention *a, enum attn_part part);

    /* backward() may leave gradients on their way home; arrival() waits for the i-th of the three,
     * in the order that is best for the method, and says which it is. */
    void (*forward)(struct attention *a);
    void (*backward)(struct attention *a);
    enum attn_part (*arrival)(struct attention *a, int i);
    struct lse_view (*lse)(const struct attention *a);
};

#define OPS_DECLARE(name, runs) extern const struct attention_ops runs##_ops;
SP_METHODS(OPS_DECLARE)
#undef OPS_DECLARE

#endif
