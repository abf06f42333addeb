/* Memory of one rank by formula, per category: what the ledger's peaks must equal. Written from the
 * problem's numbers; what allocates shares nothing with it but what a problem is (attn/problem,
 * comm/shape). */
#ifndef SPB_ATTN_FORMULA_PREDICT_H
#define SPB_ATTN_FORMULA_PREDICT_H

#include "attn/problem/problem.h"
#include "base/ledger.h"
#include "comm/shape/staging.h"

struct mem_predict {
    size_t bytes[MEM_CATEGORIES];
};

/* What the formulas cannot know from the problem. */
struct predict_env {
    int sp_rank;
    int world_size;         /* ranks that share the parameters */
    size_t workspace_bytes; /* of the device's attention kernel, for predict_piece() */
    struct staging staging; /* of the SP group's exchanges */
};

struct sp_method;

/* Attention alone, or the whole layer, with a method. */
void predict_memory(const struct problem *p, const struct sp_method *method,
                    const struct predict_env *env, struct mem_predict *out);

size_t predict_total(const struct mem_predict *m);

/* The largest piece of attention that sp_rank computes at once. */
struct attn_piece predict_piece(const struct problem *p, const struct sp_method *method,
                                int sp_rank);

/* Parameter bytes that each rank sends per pass: gathers and gradient reductions over world_size
 * ranks. */
size_t predict_param_bytes(const struct problem *p, int world_size);

#endif
