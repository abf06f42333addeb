/* Sequence-parallel methods: one row each, of what can be said of a method without running it, so
 * without MPI or a device. What runs them is in attn/method. */
#ifndef SPB_ATTN_FORMULA_METHOD_H
#define SPB_ATTN_FORMULA_METHOD_H

#include "attn/formula/predict.h"

/* The rows in the order of --list, as sp_NAME, each with what runs it: attention_ops RUNS_ops of
 * attn/method. */
#define SP_METHODS(X)                                                                              \
    X(local, unified)                                                                              \
    X(ulysses, unified)                                                                            \
    X(ring, unified)                                                                               \
    X(allgather, allgather)                                                                        \
    X(usp, unified)

struct sp_method {
    const char *name;
    const char *help;

    /* Keys of options that not all methods have, of those it has; ends with NULL. NULL: none. */
    const char *const *options;
    bool two_groups; /* it has Ulysses groups and rings, of sizes that can be chosen */

    /* The layout when none is asked for, and how sp_size splits into ulysses_size x ring_size. The
     * ulysses_size that was asked for, or 0, is there; methods that have no choice ignore it. */
    enum layout (*default_layout)(const struct problem *p);
    void (*split)(struct problem *p);

    /* false, and why with numbers and remedy: a constraint of the method does not hold. */
    bool (*supports)(const struct problem *p, char *why, size_t why_size);

    /* SP payload bytes that sp_rank sends over the pass. */
    size_t (*volume)(const struct problem *p, int sp_rank);

    /* Adds what it allocates to run. */
    void (*memory)(const struct problem *p, const struct predict_env *env, struct mem_predict *out);

    /* Shape of the largest piece of attention that sp_rank computes at once, on which a kernel's
     * workspace may depend. */
    struct attn_piece (*piece)(const struct problem *p, int sp_rank);
};

#define SP_DECLARE(name, runs) extern const struct sp_method sp_##name;
SP_METHODS(SP_DECLARE)
#undef SP_DECLARE

/* Ends with NULL. */
extern const struct sp_method *const sp_methods[];

/* The method that solves p: the one that was asked for, but a sequence on one rank is local to it,
 * whatever the method. */
const struct sp_method *sp_method_on(const struct problem *p, const struct sp_method *asked);

/* The largest volume() over the SP ranks. */
size_t sp_method_volume(const struct sp_method *method, const struct problem *p);

#endif
