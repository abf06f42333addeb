/* Tiles: pieces of a list of token positions in which positions grow by a constant step, and the
 * part of a block of two tiles that the mask leaves visible. */
#ifndef SPB_ATTN_COMPUTE_CPU_FLASH_TILE_H
#define SPB_ATTN_COMPUTE_CPU_FLASH_TILE_H

#include "attn/compute/cpu/inner/span.h"
#include "attn/problem/mask.h"

/* Tokens [begin, begin + count) at positions pos, pos + step, ... */
struct tile {
    int begin, count;
    int32_t pos, step;
};

/* The rows and columns of a block of two tiles that hold all its visible pairs; rows == 0: none. */
struct visible {
    int row, rows, col, cols;
};

/* The tile at token begin: at most up to the next multiple of size, so that tiles of one list never
 * straddle an aligned block of size tokens, and cut where the step changes, so that the chunks of a
 * zigzag layout are told apart. begin < n. */
struct tile tile_at(const int32_t *pos, int n, int begin, int size);

/* Tokens [at, at + count) of a tile. */
static inline struct tile tile_part(struct tile t, int at, int count) {
    return (struct tile){t.begin + at, count, t.pos + at * t.step, t.step};
}

enum mask_cover tile_cover(const struct mask *mask, struct tile q, struct tile k);

/* Columns of keys k before and behind which no query of q sees any; begin >= end: none at all. A
 * cheap bound: tile_block() is exact. */
struct span tile_seen(const struct mask *mask, struct tile q, struct tile k);

/* The visible block of queries q and keys k. spans [q.count]: the visible columns of each of the
 * block's rows, at the row's place in q, counted from block.col. */
struct visible tile_block(const struct mask *mask, struct tile q, struct tile k,
                          struct span *spans);

#endif
