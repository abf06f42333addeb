/* Compiled once per instruction set, with PANEL_OPS the name of the table to define. Plain loops
 * that the compiler vectorises, and vectors of four for transposition. */
#include "attn/compute/cpu/inner/panel.h"

#include <math.h>
#include <string.h>

#include "attn/compute/cpu/inner/exp2.h"
#include "device/bf16.h"

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

/* Four pairs, and four that lie at any pair. */
typedef uint32_t four __attribute__((vector_size(16)));
typedef uint32_t four_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

static four load4(const void *x) {
    four pairs;
    memcpy(&pairs, x, sizeof pairs);
    return pairs;
}

#if __has_builtin(__builtin_shufflevector)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MIX(a, b, ...) __builtin_shuffle(a, b, (four){__VA_ARGS__})
#endif

/* out[j][i] = in[i][j]; rows of out are `stride` pairs apart. */
static void transpose4(four a, four b, four c, four d, uint32_t *out, size_t stride) {
    const four ab_low = MIX(a, b, 0, 4, 1, 5), ab_high = MIX(a, b, 2, 6, 3, 7);
    const four cd_low = MIX(c, d, 0, 4, 1, 5), cd_high = MIX(c, d, 2, 6, 3, 7);
    *(four_unaligned *)out = MIX(ab_low, cd_low, 0, 1, 4, 5);
    *(four_unaligned *)(out + stride) = MIX(ab_low, cd_low, 2, 3, 6, 7);
    *(four_unaligned *)(out + 2 * stride) = MIX(ab_high, cd_high, 0, 1, 4, 5);
    *(four_unaligned *)(out + 3 * stride) = MIX(ab_high, cd_high, 2, 3, 6, 7);
}

/* Four pairs of row i from pair j on, zero past the n rows and k elements. */
static four pairs_at(const uint16_t *x, size_t ld, int n, int k, int i, int j) {
    uint32_t rest[4] = {0};
    if (i >= n || 2 * j >= k)
        return (four){0};
    const uint16_t *from = x + (size_t)i * ld + 2 * j;
    if (2 * j + 8 <= k)
        return load4(from);
    memcpy(rest, from, (size_t)(k - 2 * j) * sizeof *from);
    return load4(rest);
}

static void pack_transposed(const uint16_t *x, size_t ld, int n, int k, uint32_t *panels) {
    for (int i = 0; i < round_32(n); i += 4) {
        uint32_t *panel = panels + (size_t)(i / PANEL) * (size_t)panel_pairs(k) + i % PANEL;
        for (int j = 0; j < round_32(k) / 2; j += 4)
            transpose4(pairs_at(x, ld, n, k, i, j), pairs_at(x, ld, n, k, i + 1, j),
                       pairs_at(x, ld, n, k, i + 2, j), pairs_at(x, ld, n, k, i + 3, j),
                       panel + (size_t)j * PANEL, PANEL);
    }
}

/* The pairs that rows x and y make; NULL: a row of zeros. */
static void interleave(const uint16_t *x, const uint16_t *y, int n, uint32_t *out) {
    static const uint16_t zeros[PANEL];
    const uint16_t *lower = x ? x : zeros, *upper = y ? y : zeros;
    for (int i = 0; i < n; i++)
        out[i] = lower[i] | (uint32_t)upper[i] << 16;
}

static void pack(const uint16_t *x, size_t ld, int k, int n, uint32_t *panels) {
    for (int j = 0; j < round_32(n); j += PANEL)
        for (int i = 0; i < round_32(k); i += 2, panels += PANEL) {
            const int here = n - j < PANEL ? n - j : PANEL;
            const uint16_t *row = x + (size_t)i * ld + j;
            if (here < PANEL)
                memset(panels, 0, PANEL * sizeof *panels);
            if (here >= PANEL)
                interleave(i < k ? row : NULL, i + 1 < k ? row + ld : NULL, PANEL, panels);
            else if (here > 0)
                interleave(i < k ? row : NULL, i + 1 < k ? row + ld : NULL, here, panels);
        }
}

static void copy(const uint16_t *x, size_t ld, int m, int k, uint16_t *a, int lda) {
    const size_t padding = (size_t)(round_32(k) - k) * sizeof *a;
    for (int i = 0; i < m; i++) {
        uint16_t *row = a + (size_t)i * (size_t)lda;
        memcpy(row, x + (size_t)i * ld, (size_t)k * sizeof *row);
        memset(row + k, 0, padding);
    }
}

/* Columns [j, j + PANEL) of x become rows of a, eight rows of x at a time. */
static void transpose(const uint16_t *x, size_t ld, int k, int m, uint16_t *a, int lda) {
    for (int j = 0; j < m; j += PANEL)
        for (int i = 0; i < round_32(k); i += 8) {
            uint32_t pairs[4][PANEL] = {{0}};
            const int here = m - j < PANEL ? m - j : PANEL;
            for (int r = 0; r < 4; r++) {
                const int at = i + 2 * r;
                const uint16_t *row = x + (size_t)at * ld + j;
                if (at < k)
                    interleave(row, at + 1 < k ? row + ld : NULL, here, pairs[r]);
            }
            for (int r = 0; r < PANEL; r += 4)
                transpose4(load4(&pairs[0][r]), load4(&pairs[1][r]), load4(&pairs[2][r]),
                           load4(&pairs[3][r]),
                           (uint32_t *)(void *)(a + (size_t)(j + r) * (size_t)lda + i),
                           (size_t)lda / 2);
        }
}

/* 32 numbers, none of them denormal: VCVTNE2PS2BF16 takes those for zero. */
static inline void round_row(const float *x, uint16_t *out) {
#ifdef __AVX512BF16__
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + 16), _mm512_loadu_ps(x));
    _mm512_storeu_si512(out, (__m512i)both);
#else
    for (int i = 0; i < 32; i++)
        out[i] = float_to_bf16(x[i]);
#endif
}

/* The 16 pairs that two rows make. */
static inline void round_pairs(const float *x, const float *y, uint32_t *out) {
#ifdef __AVX512BF16__
    const __m512i places =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(y), _mm512_loadu_ps(x));
    _mm512_storeu_si512(out, _mm512_permutexvar_epi16(places, (__m512i)both));
#else
    for (int i = 0; i < PANEL; i++)
        out[i] = float_to_bf16(x[i]) | (uint32_t)float_to_bf16(y[i]) << 16;
#endif
}

static void round_all(const float *x, int n, uint16_t *out) {
    int i = 0;
    for (; i + 32 <= n; i += 32)
        round_row(x + i, out + i);
    for (; i < n; i++)
        out[i] = float_to_bf16(x[i]);
}

static void softmax(float *s, int ld, int rows, int cols, const struct span *spans, float scale,
                    float *max, float *sum, float *correction, uint16_t *p) {
    const float scale2 = scale * LOG2_E;
    for (int i = 0; i < rows; i++) {
        float *row = s + (size_t)i * (size_t)ld;
        uint16_t *out = p + (size_t)i * (size_t)ld;
        const int begin = spans[i].begin, n = spans[i].end - begin;
        correction[i] = 1;
        clear_outside(row, cols, spans[i]);
        if (n > 0) {
            const float block_max = scale2 * largest(row + begin, n);
            if (block_max > max[i]) {
                correction[i] = exp2_fast(max[i] - block_max);
                max[i] = block_max;
            }
            sum[i] = sum[i] * correction[i] + exponentials(row + begin, n, scale2, max[i]);
        }
        for (int j = 0; j < cols; j += 32)
            round_row(row + j, out + j);
    }
}

/* One row: p and ds in place. */
static void grad_row(float *p, float *ds, int cols, struct span span, float scale, float lse,
                     float delta) {
    if (lse == -INFINITY)
        span = (struct span){0, 0};
    clear_outside(p, cols, span);
    clear_outside(ds, cols, span);
    const float scale2 = scale * LOG2_E, lse2 = lse * LOG2_E;
#pragma omp simd
    for (int j = span.begin; j < span.end; j++) {
        p[j] = exp2_fast(p[j] * scale2 - lse2);
        ds[j] = scale * p[j] * (ds[j] - delta);
    }
}

static void softmax_grad(float *s, float *dp, int ld, int rows, int cols, const struct span *spans,
                         float scale, const float *lse, const float *delta, uint32_t *p,
                         uint32_t *ds, uint16_t *ds_rows) {
    const size_t panel = (size_t)panel_pairs(rows);
    for (int i = 0; i < round_32(rows); i += 2) {
        float *s_row = s + (size_t)i * (size_t)ld, *dp_row = dp + (size_t)i * (size_t)ld;
        for (int r = 0; r < 2; r++) {
            float *p_here = s_row + r * ld, *ds_here = dp_row + r * ld;
            if (i + r < rows) {
                grad_row(p_here, ds_here, cols, spans[i + r], scale, lse[i + r], delta[i + r]);
            } else {
                clear_outside(p_here, cols, (struct span){0, 0});
                clear_outside(ds_here, cols, (struct span){0, 0});
            }
            uint16_t *out = ds_rows + (size_t)(i + r) * (size_t)ld;
            for (int j = 0; j < cols; j += 32)
                round_row(ds_here + j, out + j);
        }
        for (int j = 0; j < cols; j += PANEL) {
            const size_t at = (size_t)(j / PANEL) * panel + (size_t)(i / 2) * PANEL;
            round_pairs(s_row + j, s_row + ld + j, p + at);
            round_pairs(dp_row + j, dp_row + ld + j, ds + at);
        }
    }
}

const struct panel_ops PANEL_OPS = {pack_transposed, pack,    copy,       transpose,
                                    round_all,       softmax, scale_rows, softmax_grad};
