/* VDPBF16PS: 16 sums of 2 products. It rounds to nearest even and takes denormals for zero,
 * whatever MXCSR says (Intel SDM volume 2, VDPBF16PS). */
#include <immintrin.h>
#include <string.h>

#include "attn/compute/cpu/inner/panel.h"

/* Blocks of C that stay in registers: 16 independent sums hide the instruction's latency. */
enum { ROWS = 8, COLS = 2 };

static inline __m512bh broadcast(const uint16_t *pair) {
    int32_t bits;
    memcpy(&bits, pair, sizeof bits);
    return (__m512bh)_mm512_set1_epi32(bits);
}

static inline __m512bh load(const uint32_t *pairs) {
    return (__m512bh)_mm512_loadu_si512(pairs);
}

/* ROWS x panels of C. Inlined, so that panels is a constant. */
static inline __attribute__((always_inline)) void block(int panels, int k, const uint16_t *a,
                                                        int lda, const uint32_t *b, int b_panel,
                                                        float *c, int ldc, bool add) {
    __m512 sum[ROWS][COLS];
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < panels; j++)
            sum[i][j] = add ? _mm512_loadu_ps(c + (size_t)i * (size_t)ldc + j * PANEL)
                            : _mm512_setzero_ps();
    for (int pair = 0; pair < k / 2; pair++) {
        __m512bh right[COLS];
#pragma GCC unroll 2
        for (int j = 0; j < panels; j++)
            right[j] = load(b + (size_t)j * (size_t)b_panel + (size_t)pair * PANEL);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            const __m512bh left = broadcast(a + (size_t)i * (size_t)lda + 2 * pair);
#pragma GCC unroll 2
            for (int j = 0; j < panels; j++)
                sum[i][j] = _mm512_dpbf16_ps(sum[i][j], right[j], left);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < panels; j++)
            _mm512_storeu_ps(c + (size_t)i * (size_t)ldc + j * PANEL, sum[i][j]);
}

static void multiply(int m, int n, int k, const uint16_t *a, int lda, const uint32_t *b,
                     int b_panel, float *c, int ldc, bool add) {
    for (int j = 0; j < n; j += COLS * PANEL) {
        const uint32_t *right = b + (size_t)(j / PANEL) * (size_t)b_panel;
        for (int i = 0; i < m; i += ROWS) {
            const uint16_t *left = a + (size_t)i * (size_t)lda;
            float *to = c + (size_t)i * (size_t)ldc + j;
            if (n - j >= COLS * PANEL)
                block(COLS, k, left, lda, right, b_panel, to, ldc, add);
            else
                block(1, k, left, lda, right, b_panel, to, ldc, add);
        }
    }
}

static double burn(int64_t rounds) {
    enum { SUMS = 12 };
    const __m512bh one = (__m512bh)_mm512_set1_epi32(0x3f803f80);
    __m512 sum[SUMS];
#pragma GCC unroll 12
    for (int i = 0; i < SUMS; i++)
        sum[i] = _mm512_setzero_ps();
    for (int64_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < SUMS; i++) {
            sum[i] = _mm512_dpbf16_ps(sum[i], one, one);
            __asm__ volatile("" : "+v"(sum[i])); /* each is wanted, in a register */
        }
    }
    return (double)rounds * SUMS * 16 * 2 * 2;
}

const struct dot_ops dot_avx512 = {NULL, NULL, multiply, burn};
