/* Sequence-parallel methods: one row each. */
#ifndef SPB_ATTN_METHOD_METHOD_H
#define SPB_ATTN_METHOD_METHOD_H

#include "attn/method/parts/attention.h"

struct sp_method {
    const char *name;
    const char *help;

    /* The layout when none is asked for, and how sp_size splits into ulysses_size x ring_size. The
     * ulysses_size that was asked for, or 0, is there; methods that have no choice ignore it. */
    enum layout (*default_layout)(const struct problem *p);
    void (*split)(struct problem *p);

    /* false, and why with numbers and remedy: a constraint of the method does not hold. */
    bool (*supports)(const struct problem *p, char *why, size_t why_size);

    /* SP payload bytes that sp_rank sends over the pass, by formula. */
    size_t (*volume)(const struct problem *p, int sp_rank);

    /* Adds what open() allocates, by formula. */
    void (*memory)(const struct problem *p, const struct predict_env *env, struct mem_predict *out);

    /* Shape of the largest piece of attention that sp_rank computes at once, on which a kernel's
     * workspace may depend. */
    struct attn_args (*piece)(const struct problem *p, int sp_rank);

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

/* Ends with NULL. */
extern const struct sp_method *const sp_methods[];

/* The method called name, or NULL. */
const struct sp_method *sp_method_find(const char *name);

/* The largest volume() over the SP ranks. */
size_t sp_method_volume(const struct sp_method *method, const struct problem *p);

extern const struct sp_method sp_local, sp_ulysses, sp_ring, sp_allgather, sp_usp;

#endif
