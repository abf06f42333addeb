/* Attention problems made from the counter-based generator, and their errors against the reference.
 * Elements depend on global positions and heads alone, so that the blocks of one problem fit
 * together. */
#ifndef SPB_TESTS_ATTN_CASE_H
#define SPB_TESTS_ATTN_CASE_H

#include "attn/compute/cpu/cpu.h"
#include "attn/problem/layout.h"

enum { ALL_KEYS = -1 };

/* The queries of rank q_rank against the keys of rank k_rank of sp ranks (or all keys). */
struct attn_case {
    const char *name;
    int batch, heads, kv_heads, head_dim;
    int q_head0, kv_head0, group;
    int32_t seq;
    int sp;
    enum layout layout;
    int q_rank, k_rank;
    const char *mask; /* as on the command line */
};

/* Tensors of a case; gradients are zero, results undefined. args points into the problem. */
struct problem {
    struct attn_args args;
    struct mask mask;
    struct mem_ledger ledger;
    struct compute *compute;
    struct device *dev; /* its own */
    float *delta;
};

struct problem *problem_new(struct compute *compute, const struct attn_case *c);
void problem_free(struct problem *p);

/* Forward; delta; backward. */
void problem_run(struct problem *p);

/* Greatest row errors over every stride-th row, and the first and last. */
struct errors {
    double o, lse, dq, dk, dv; /* lse: absolute */
};
struct errors problem_errors(const struct problem *p, int stride);

#endif
