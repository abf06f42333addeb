/* One attention problem, resolved: what every method solves, and how it is spread over ranks. */
#ifndef SPB_ATTN_PROBLEM_H
#define SPB_ATTN_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "attn/dtype.h"
#include "attn/layout.h"
#include "attn/mask.h"
#include "comm/grid.h"
#include "comm/shape.h"

/* The global problem first: batch sequences of seq tokens in each of dp_shard_size groups. */
struct problem {
    int batch; /* per data-parallel group */
    int32_t seq;
    int heads, kv_heads, head_dim;
    int hidden; /* of the layer; not used when core_only */
    double rope_theta;
    struct mask mask;
    enum dtype dtype, grad_dtype;
    bool forward, backward; /* the measured pass */
    bool core_only;         /* attention on generated Q, K, V, without projections */
    uint32_t seed;

    int sp_size, dp_shard_size;
    int ulysses_size, ring_size; /* their product is sp_size */
    enum placement placement;
    enum layout layout;
};

/* The problem as the exchanges see it. */
struct sp_shape problem_shape(const struct problem *p);

/* Tokens of one rank. */
int problem_local_tokens(const struct problem *p);

/* Tokens that all ranks together work on. */
double problem_tokens(const struct problem *p);

/* Floating-point operations of the pass, over all ranks. */
double problem_flops(const struct problem *p);

/* false, and why: the sequence does not divide as the layout needs, heads do not group, ... */
bool problem_valid(const struct problem *p, char *why, size_t why_size);

/* Generated inputs are scaled so that a check can fail: logits then have a standard deviation of 3.
 */
float problem_q_scale(const struct problem *p);
/* Of a projection weight with fan_in inputs; wq further scaled like Q. */
float problem_weight_scale(int fan_in);

#endif
