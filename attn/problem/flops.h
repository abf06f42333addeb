/* Floating-point operations of an attention layer, by formula. A multiply-add is two. Softmax, RoPE
 * and recomputation are not counted, as is usual (Dao, "FlashAttention-2", 2023, section 4.1). */
#ifndef SPB_ATTN_PROBLEM_FLOPS_H
#define SPB_ATTN_PROBLEM_FLOPS_H

#include <stdint.h>

/* QK^T and PV: 4 * head_dim * heads * batch * pairs. pairs: visible query-key pairs of one head. */
double flops_attn_fwd(int batch, int heads, int head_dim, uint64_t pairs);

/* Five products (S again, dP, dV, dK, dQ) against two: 2.5 times the forward pass. */
double flops_attn_bwd(int batch, int heads, int head_dim, uint64_t pairs);

/* The four projections of tokens (batch * sequence) rows between hidden and the heads' widths:
 * 2 * tokens * hidden * (q + k + v + o), with q = o = heads * head_dim, k = v = kv_heads *
 * head_dim. */
double flops_proj_fwd(int64_t tokens, int hidden, int heads, int kv_heads, int head_dim);

/* Input gradient and weight gradient: twice the forward pass. */
double flops_proj_bwd(int64_t tokens, int hidden, int heads, int kv_heads, int head_dim);

#endif
