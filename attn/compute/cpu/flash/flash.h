/* The FlashAttention loops that compute in fp32, shared by the kernels of all instruction sets:
 * matrix products by CBLAS, each on the calling thread alone, and the kernel's vector loops between
 * them. Of bf16 tensors, the tiles that are multiplied are first brought to fp32, and O is rounded
 * when it is stored; nothing else is. */
#ifndef SPB_ATTN_COMPUTE_CPU_FLASH_FLASH_H
#define SPB_ATTN_COMPUTE_CPU_FLASH_FLASH_H

#include <math.h>
#include <omp.h>

#include "attn/compute/cpu/flash/kernel.h"
#include "attn/compute/cpu/flash/tile.h"

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
    struct flash_wide *wide; /* NULL: tensors are fp32 */
    struct span spans[FLASH_Q_TILE];
};

/* One thread's tiles in fp32, after all threads' flash_scratch; kernels of bf16 only. */
struct flash_wide {
    _Alignas(64) float q[FLASH_Q_TILE * HEAD_DIM_MAX];
    float dout[FLASH_Q_TILE * HEAD_DIM_MAX];
    float k[FLASH_K_TILE * HEAD_DIM_MAX], v[FLASH_K_TILE * HEAD_DIM_MAX];
};

bool flash_supports(int head_dim);
size_t flash_workspace_bytes(int threads);      /* fp32 */
size_t flash_wide_workspace_bytes(int threads); /* bf16 */

/* Of a thread, whose wide tiles are set. */
struct flash_scratch *flash_scratch_of(const struct attn_kernel *kernel,
                                       const struct attn_args *args, int threads, int thread);

/* Rows of one head, `stride` elements apart. */
struct flash_rows {
    const void *x;
    int stride;
};

/* A matrix for CBLAS. */
struct flash_matrix {
    const float *x;
    int ld;
};

/* Rows [row, row + n): of fp32 where they lie (wide is NULL), of bf16 copied to wide [n, head_dim].
 */
struct flash_matrix flash_load(struct flash_rows rows, int row, int n, int head_dim, float *wide);

void flash_forward(const struct attn_kernel *kernel, const struct attn_args *args, int threads);

/* The order in which threads add to dQ is not fixed, so its last bits may differ between runs. */
void flash_backward(const struct attn_kernel *kernel, const struct attn_args *args, int threads);

/* The tile of keys (queries) that starts at token begin, halved while the mask cuts its block with
 * the tile of queries (keys): little of what is then computed is masked away, and what is wholly
 * visible is still done in large blocks. */
struct tile flash_k_tile(const struct attn_args *args, struct tile q, int begin);
struct tile flash_q_tile(const struct attn_args *args, struct tile k, int begin);

/* Backward, a task owns its keys' dK and dV; the dQ of a block of queries is added to by all tasks
 * of its head, under the lock that the block hashes to. */
enum { FLASH_LOCKS = 64 };
struct flash_locks {
    omp_lock_t lock[FLASH_LOCKS];
};
void flash_locks_init(struct flash_locks *locks);
void flash_locks_destroy(struct flash_locks *locks);

/* Of a head of some (batch, query head) and the aligned block of FLASH_Q_TILE queries at q. */
omp_lock_t *flash_lock(struct flash_locks *locks, int head, int q);

/* Called by every thread between tiles: the calling thread of the kernel polls. */
void flash_poll(const struct attn_args *args);

/* The query heads here that read kv head kv. */
struct span flash_heads(const struct attn_args *args, int kv);

/* LSE from the two of an online softmax: its maximum in units of log 2, and its sum. */
static inline float flash_lse(float max, float sum) {
    return (float)(max * 0.69314718055994531 + log((double)sum));
}

/* Offset of row (batch b, token t, head h) of a tensor [batch, tokens, heads, head_dim]. */
static inline size_t flash_row(int b, int t, int h, int tokens, int heads, int head_dim) {
    return (((size_t)b * (size_t)tokens + (size_t)t) * (size_t)heads + (size_t)h) *
           (size_t)head_dim;
}

#endif
