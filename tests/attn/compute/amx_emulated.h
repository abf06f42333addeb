/* attn/compute/cpu/inner/amx_tile.h in C, for processors without AMX: what the Intel SDM (volume 2,
 * TDPBF16PS, TILELOADD, TILESTORED) says the instructions do. The product of two bf16 is exact in
 * fp32, so a multiplication and an addition round as the instruction's fused ones do. */
#ifndef SPB_TESTS_ATTN_COMPUTE_AMX_EMULATED_H
#define SPB_TESTS_ATTN_COMPUTE_AMX_EMULATED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/bf16.h"

enum { EMULATED_TILES = 8, EMULATED_ROWS = 16, EMULATED_BYTES = 64 };

static _Thread_local struct {
    int configured; /* using tiles before tile_open() is an invalid opcode */
    unsigned char tile[EMULATED_TILES][EMULATED_ROWS][EMULATED_BYTES];
} amx;

static void *emulated_row(int tile, int row) {
    if (!amx.configured || tile < 0 || tile >= EMULATED_TILES)
        abort();
    return amx.tile[tile][row];
}

static void tile_open(void) {
    memset(&amx, 0, sizeof amx);
    amx.configured = 1;
}

static void tile_close(void) {
    memset(&amx, 0xff, sizeof amx); /* NaN */
    amx.configured = 0;
}

static void emulated_load(int tile, const void *from, size_t stride) {
    for (int r = 0; r < EMULATED_ROWS; r++)
        memcpy(emulated_row(tile, r), (const char *)from + (size_t)r * stride, EMULATED_BYTES);
}

static void emulated_store(int tile, void *to, size_t stride) {
    for (int r = 0; r < EMULATED_ROWS; r++)
        memcpy((char *)to + (size_t)r * stride, emulated_row(tile, r), EMULATED_BYTES);
}

static void emulated_zero(int tile) {
    memset(emulated_row(tile, 0), 0, sizeof amx.tile[0]);
}

static void emulated_dot(int sum, int a, int b) {
    for (int m = 0; m < EMULATED_ROWS; m++) {
        float even[16] = {0}, odd[16] = {0}, total[16];
        uint16_t left[32], right[32];
        memcpy(left, emulated_row(a, m), sizeof left);
        for (int k = 0; k < 16; k++) {
            memcpy(right, emulated_row(b, k), sizeof right);
            for (int n = 0; n < 16; n++) {
                even[n] += bf16_to_float(left[2 * k]) * bf16_to_float(right[2 * n]);
                odd[n] += bf16_to_float(left[2 * k + 1]) * bf16_to_float(right[2 * n + 1]);
            }
        }
        memcpy(total, emulated_row(sum, m), sizeof total);
        for (int n = 0; n < 16; n++)
            total[n] += even[n] + odd[n];
        memcpy(emulated_row(sum, m), total, sizeof total);
    }
}

#define TILE_LOAD(tile, from, stride) emulated_load(tile, from, stride)
#define TILE_STORE(tile, to, stride) emulated_store(tile, to, stride)
#define TILE_ZERO(tile) emulated_zero(tile)
#define TILE_DOT(sum, a, b) emulated_dot(sum, a, b)

#endif
