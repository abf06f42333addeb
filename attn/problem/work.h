/* The work of ranks, by counting what the mask leaves visible. */
#ifndef SPB_ATTN_PROBLEM_WORK_H
#define SPB_ATTN_PROBLEM_WORK_H

#include "attn/problem/problem.h"

/* Floating-point operations of one SP rank over the pass: attention of the query heads and tokens
 * that it computes, and its tokens' projections. ST_ENV without memory. */
enum status work_of_rank(const struct problem *p, int sp_rank, double *out);

/* mean / max over SP ranks. Of causal attention alone on contiguous pieces in a ring of P it comes
 * to P / (2P - 1), up to what a diagonal adds to n (n + 1) / 2. */
enum status work_balance(const struct problem *p, double *out);

#endif
