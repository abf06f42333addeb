#include "attn/flash.h"

#include <omp.h>

/* Down to this many tokens are tiles halved. */
enum { MIN_TILE = 64 };

bool flash_supports(int head_dim) {
    return head_dim > 0 && head_dim <= HEAD_DIM_MAX && head_dim % 8 == 0;
}

size_t flash_workspace_bytes(int threads) {
    return (size_t)threads * sizeof(struct flash_scratch);
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

void flash_poll(const struct attn_args *args) {
    if (args->poll && omp_get_thread_num() == 0)
        args->poll(args->poll_arg);
}
