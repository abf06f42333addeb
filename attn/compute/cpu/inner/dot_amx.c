/* TDPBF16PS: a tile of 16 x 16 sums of 32 products. Compiled for processors that have it, and once
 * more for the tests, with AMX_TILES an emulation of attn/compute/cpu/inner/amx_tile.h and DOT_OPS
 * another name. It has run only on the emulation so far: no processor with AMX was at hand. */
#ifdef AMX_TILES
#include AMX_TILES
#else
#include "attn/compute/cpu/inner/amx_tile.h"
#define DOT_OPS dot_amx
#endif

#include "attn/compute/cpu/inner/panel.h"

/* Two by two tiles of C: 0 1 / 2 3. Left operands are in 4 and 5, right ones in 6 and 7. Inlined,
 * so that the shape is constant. */
static inline __attribute__((always_inline)) void block(bool two_rows, bool two_cols, int k,
                                                        const uint16_t *a, int lda,
                                                        const uint32_t *b, int b_panel, float *c,
                                                        int ldc, bool add) {
    enum { ROWS = 16, DEPTH = 32, TILE = ROWS * PANEL };
    const size_t a_stride = (size_t)lda * sizeof *a, c_stride = (size_t)ldc * sizeof *c;
    const size_t b_stride = PANEL * sizeof *b;
    float *c_below = c + (size_t)ROWS * (size_t)ldc;
    if (add) {
        TILE_LOAD(0, c, c_stride);
        if (two_cols)
            TILE_LOAD(1, c + PANEL, c_stride);
        if (two_rows)
            TILE_LOAD(2, c_below, c_stride);
        if (two_rows && two_cols)
            TILE_LOAD(3, c_below + PANEL, c_stride);
    } else {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
    }
    for (int at = 0; at < k; at += DEPTH) {
        const uint16_t *left = a + at;
        const uint32_t *right = b + (size_t)(at / DEPTH) * TILE;
        TILE_LOAD(4, left, a_stride);
        TILE_LOAD(6, right, b_stride);
        TILE_DOT(0, 4, 6);
        if (two_cols) {
            TILE_LOAD(7, right + b_panel, b_stride);
            TILE_DOT(1, 4, 7);
        }
        if (two_rows) {
            TILE_LOAD(5, left + (size_t)ROWS * (size_t)lda, a_stride);
            TILE_DOT(2, 5, 6);
        }
        if (two_rows && two_cols)
            TILE_DOT(3, 5, 7);
    }
    TILE_STORE(0, c, c_stride);
    if (two_cols)
        TILE_STORE(1, c + PANEL, c_stride);
    if (two_rows)
        TILE_STORE(2, c_below, c_stride);
    if (two_rows && two_cols)
        TILE_STORE(3, c_below + PANEL, c_stride);
}

static void multiply(int m, int n, int k, const uint16_t *a, int lda, const uint32_t *b,
                     int b_panel, float *c, int ldc, bool add) {
    for (int j = 0; j < n; j += 32) {
        const uint32_t *right = b + (size_t)(j / PANEL) * (size_t)b_panel;
        for (int i = 0; i < m; i += 32) {
            const uint16_t *left = a + (size_t)i * (size_t)lda;
            float *to = c + (size_t)i * (size_t)ldc + j;
            const bool two_rows = m - i >= 32, two_cols = n - j >= 32;
            if (two_rows && two_cols)
                block(true, true, k, left, lda, right, b_panel, to, ldc, add);
            else if (two_rows)
                block(true, false, k, left, lda, right, b_panel, to, ldc, add);
            else if (two_cols)
                block(false, true, k, left, lda, right, b_panel, to, ldc, add);
            else
                block(false, false, k, left, lda, right, b_panel, to, ldc, add);
        }
    }
}

/* Four sums of two left and two right operands, as above; zeros take as long as other numbers. */
static double burn(int64_t rounds) {
    tile_open();
    TILE_ZERO(0);
    TILE_ZERO(1);
    TILE_ZERO(2);
    TILE_ZERO(3);
    TILE_ZERO(4);
    TILE_ZERO(5);
    TILE_ZERO(6);
    TILE_ZERO(7);
    for (int64_t r = 0; r < rounds; r++) {
        TILE_DOT(0, 4, 6);
        TILE_DOT(1, 4, 7);
        TILE_DOT(2, 5, 6);
        TILE_DOT(3, 5, 7);
    }
    tile_close();
    return (double)rounds * 4 * 16 * 16 * 32 * 2;
}

const struct dot_ops DOT_OPS = {tile_open, tile_close, multiply, burn};
