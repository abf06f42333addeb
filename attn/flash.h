/* The fp32 FlashAttention loops, shared by the kernels of all instruction sets: matrix products by
 * CBLAS, each on the calling thread alone, and the kernel's vector loops between them. */
#ifndef SPB_ATTN_FLASH_H
#define SPB_ATTN_FLASH_H

#include "attn/kernel.h"
#include "attn/tile.h"

/* A block of logits and what is beside it stay in a second-level cache of 1 MiB; smaller tiles lose
 * more in the products, larger ones in the cache (bench_kernel measures it). */
enum { FLASH_Q_TILE = 256, FLASH_K_TILE = 256 };

/* One thread's workspace. */
struct flash_scratch {
    _Alignas(
        64) float s[FLASH_Q_TILE * FLASH_K_TILE]; /* [rows, cols]: logits, then probabilities */
    union {
        float acc[FLASH_Q_TILE * HEAD_DIM_MAX]; /* forward: [rows, head_dim], sum of p v */
        float dp[FLASH_Q_TILE * FLASH_K_TILE];  /* backward: [rows, cols], dP, then dS */
    };
    float max[FLASH_Q_TILE], sum[FLASH_Q_TILE], correction[FLASH_Q_TILE];
    struct span spans[FLASH_Q_TILE];
};

bool flash_supports(int head_dim);
size_t flash_workspace_bytes(int threads);

void flash_forward(const struct attn_kernel *kernel, const struct attn_args *args, int threads);

/* The order in which threads add to dQ is not fixed, so its last bits may differ between runs. */
void flash_backward(const struct attn_kernel *kernel, const struct attn_args *args, int threads);

/* The tile of keys (queries) that starts at token begin, halved while the mask cuts its block with
 * the tile of queries (keys): little of what is then computed is masked away, and what is wholly
 * visible is still done in large blocks. */
struct tile flash_k_tile(const struct attn_args *args, struct tile q, int begin);
struct tile flash_q_tile(const struct attn_args *args, struct tile k, int begin);

/* Called by every thread between tiles: the calling thread of the kernel polls. */
void flash_poll(const struct attn_args *args);

/* Offset of row (batch b, token t, head h) of a tensor [batch, tokens, heads, head_dim]. */
static inline size_t flash_row(int b, int t, int h, int tokens, int heads, int head_dim) {
    return (((size_t)b * (size_t)tokens + (size_t)t) * (size_t)heads + (size_t)h) *
           (size_t)head_dim;
}

#endif
