/* The AMX instructions that the products need, on tiles of 16 rows of 64 bytes. Tile numbers are
 * constants. The tests compile the same loops against an emulation of these in C. */
#ifndef SPB_ATTN_COMPUTE_CPU_INNER_AMX_TILE_H
#define SPB_ATTN_COMPUTE_CPU_INNER_AMX_TILE_H

#include <immintrin.h>
#include <stdint.h>

/* A thread's tiles: palette 1, eight tiles of 16 rows x 64 bytes (Intel SDM volume 1, 18.3). */
static inline void tile_open(void) {
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&config);
}

static inline void tile_close(void) {
    _tile_release();
}

/* Rows are `stride` bytes apart in memory. */
#define TILE_LOAD(tile, from, stride) _tile_loadd(tile, from, stride)
#define TILE_STORE(tile, to, stride) _tile_stored(tile, to, stride)
#define TILE_ZERO(tile) _tile_zero(tile)
#define TILE_DOT(sum, a, b) _tile_dpbf16ps(sum, a, b)

#endif
