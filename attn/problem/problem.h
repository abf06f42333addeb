/* One attention problem, resolved: what every method solves, and how it is spread over ranks. */
#ifndef SPB_ATTN_PROBLEM_PROBLEM_H
#define SPB_ATTN_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "attn/problem/layout.h"
#include "attn/problem/mask.h"
#include "comm/shape/grid.h"
#include "comm/shape/shape.h"
#include "comm/shape/usp.h"
#include "device/dtype.h"

/* The global problem first: batch sequences of seq tokens in each of dp_shard_size groups. */
struct problem {
    int batch; /* per data-parallel group */
    int32_t seq;
    int32_t padded_seq; /* what is spread over ranks: seq tokens, then padding; 0: seq */
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
    enum usp_inner inner;        /* whose ranks are neighbours, where both sizes exceed 1 */
    enum placement placement;
    enum layout layout;

    bool fuse_qkv; /* Q, K and V in one exchange of heads, not one each */
    int kv_groups; /* of heads, gathered one after the other; 0 or 1: all at once */
    bool overlap;  /* exchanges run while something is computed */
};

/* Shape of a piece of attention that a rank computes at once: heads of its own. */
struct attn_piece {
    int batch, heads, kv_heads, head_dim;
    int q_tokens, k_tokens;
};

/* The problem as the exchanges see it. */
struct sp_shape problem_shape(const struct problem *p);

/* Tokens with padding, of all ranks. */
int32_t problem_padded_seq(const struct problem *p);

/* Pads the sequence to what the layout divides, if it has to. */
void problem_pad(struct problem *p);

/* Global positions of an SP rank's tokens [problem_local_tokens()]: POS_NOWHERE for padding. */
void problem_positions(const struct problem *p, int sp_rank, int32_t *pos);

/* Tokens of one rank, padding included. */
int problem_local_tokens(const struct problem *p);

/* Tokens that all ranks together work on, without padding. */
double problem_tokens(const struct problem *p);

/* Floating-point operations of the pass, over all ranks; padding does not count. */
double problem_flops(const struct problem *p);

/* Of query heads that see so many pairs of each sequence, and of the projections of all heads of so
 * many tokens. */
double problem_part_flops(const struct problem *p, int heads, uint64_t pairs, int64_t tokens);

/* false, and why: the sequence does not divide as the layout needs, heads do not group, ... */
bool problem_valid(const struct problem *p, char *why, size_t why_size);

/* Generated inputs are scaled so that a check can fail: logits then have a standard deviation of 3.
 */
float problem_q_scale(const struct problem *p);
/* Of the logits: 1 / sqrt(head_dim). */
float problem_logit_scale(const struct problem *p);

/* Of a projection weight with fan_in inputs; wq further scaled like Q. */
float problem_weight_scale(int fan_in);

#endif
