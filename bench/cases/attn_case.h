/* One case of `spbench attn`, resolved from its options; and what is predicted for it. Pure. */
#ifndef SPB_BENCH_CASES_ATTN_CASE_H
#define SPB_BENCH_CASES_ATTN_CASE_H

#include "attn/compute/compute.h"
#include "attn/formula/method.h"
#include "bench/cases/cases.h"
#include "bench/cases/grid_shape.h"
#include "bench/cases/model_shape.h"

struct attn_case {
    struct grid_shape grid;
    const struct sp_method *method;
    struct problem problem;
    struct model_shape shape;
    const struct compute_row *compute;
    const char *kernel;
    struct staging one_host, apart; /* all ranks on one host, and on one each */
    int threads;                    /* 0: the default */
};

/* resolve() of bench/cases/cases.h; out is a struct attn_case. */
enum status attn_case_resolve(const struct case_source *from, struct options *options, void *out,
                              char *why, size_t why_size);

/* Frees what it holds, also after a failure. */
void attn_case_release(void *attn_case);

/* Opens the case's device; ST_USAGE or ST_ENV, said. threads: when the case asks for none. */
enum status attn_case_open(const struct attn_case *c, int threads, struct compute **out);

/* Memory by formula, of one rank, which has so many threads when the case asks for none; and, with
 * one, the most of any rank of an SP group. */
struct mem_predict attn_case_rank_memory(const struct attn_case *c, int threads,
                                         const struct staging *how, int sp_rank);
size_t attn_case_memory(const struct attn_case *c, const struct staging *how);

#endif
