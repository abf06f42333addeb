#include "attn/compute/cpu/flash/flash.h"

#include "device/bf16.h"

/* Down to this many tokens are tiles halved. */
enum { MIN_TILE = 64 };

bool flash_supports(int head_dim) {
    return head_dim > 0 && head_dim <= HEAD_DIM_MAX && head_dim % 8 == 0;
}

size_t flash_workspace_bytes(int threads) {
    return (size_t)threads * sizeof(struct flash_scratch);
}

size_t flash_wide_workspace_bytes(int threads) {
    return flash_workspace_bytes(threads) + (size_t)threads * sizeof(struct flash_wide);
}

struct flash_scratch *flash_scratch_of(const struct attn_kernel *kernel,
                                       const struct attn_args *args, int threads, int thread) {
    struct flash_scratch *all = args->workspace;
    struct flash_wide *wide = (void *)(all + threads);
    all[thread].wide = kernel->dtype == DTYPE_FP32 ? NULL : &wide[thread];
    return &all[thread];
}

struct flash_matrix flash_load(struct flash_rows rows, int row, int n, int head_dim, float *wide) {
    const size_t first = (size_t)row * (size_t)rows.stride;
    if (!wide)
        return (struct flash_matrix){(const float *)rows.x + first, rows.stride};
    const uint16_t *from = (const uint16_t *)rows.x + first;
    for (int i = 0; i < n; i++)
        bf16_widen(from + (size_t)i * (size_t)rows.stride, (size_t)head_dim, wide + i * head_dim);
    return (struct flash_matrix){wide, head_dim};
}

static int half(int count) {
    return count / 2 > MIN_TILE ? count / 2 : MIN_TILE;
}

struct tile flash_k_tile(const struct attn_args *args, struct tile q, int begin) {
    struct tile k = tile_at(args->k_pos, args->k_tokens, begin, FLASH_K_TILE);
    while (k.count > MIN_TILE && tile_cover(args->mask, q, k) == MASK_PARTIAL)
        k.count = half(k.count);
    return k;
}

struct tile flash_q_tile(const struct attn_args *args, struct tile k, int begin) {
    struct tile q = tile_at(args->q_pos, args->q_tokens, begin, FLASH_Q_TILE);
    while (q.count > MIN_TILE && tile_cover(args->mask, q, k) == MASK_PARTIAL)
        q.count = half(q.count);
    return q;
}

static int clamp(int x, int lo, int hi) {
    return x < lo ? lo : x > hi ? hi : x;
}

struct span flash_heads(const struct attn_args *args, int kv) {
    const int first = (args->kv_head0 + kv) * args->group - args->q_head0;
    return (struct span){clamp(first, 0, args->heads), clamp(first + args->group, 0, args->heads)};
}

void flash_poll(const struct attn_args *args) {
    if (args->poll && omp_get_thread_num() == 0)
        args->poll(args->poll_arg);
}

void flash_locks_init(struct flash_locks *locks) {
    for (int i = 0; i < FLASH_LOCKS; i++)
        omp_init_lock(&locks->lock[i]);
}

void flash_locks_destroy(struct flash_locks *locks) {
    for (int i = 0; i < FLASH_LOCKS; i++)
        omp_destroy_lock(&locks->lock[i]);
}

/* Heads are spread by an odd number, so that their first blocks differ. */
omp_lock_t *flash_lock(struct flash_locks *locks, int head, int q) {
    return &locks->lock[((unsigned)head * 17u + (unsigned)(q / FLASH_Q_TILE)) % FLASH_LOCKS];
}
