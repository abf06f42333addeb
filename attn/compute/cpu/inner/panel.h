/* bf16 operands of matrix products, packed as dot-product instructions read them, and what happens
 * to blocks of logits between the products.
 *
 * A dot-product instruction multiplies pairs: two bf16 that are neighbours along the summed
 * dimension k, in 32 bits, the first one in the lower half.
 *   left operand A [m, k]   rows of bf16, lda elements apart
 *   right operand B [k, n]  panels of 16 columns, each [k / 2][16] pairs
 * so that a row of a panel is 64 bytes: a vector of AVX-512, or a row of an AMX tile. Packing pads
 * with zeros to multiples of 32 along k and n. */
#ifndef SPB_ATTN_COMPUTE_CPU_INNER_PANEL_H
#define SPB_ATTN_COMPUTE_CPU_INNER_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attn/compute/cpu/inner/span.h"

enum { PANEL = 16 };

static inline int round_16(int n) {
    return (n + 15) & ~15;
}

static inline int round_32(int n) {
    return (n + 31) & ~31;
}

/* Pairs of one panel of k rows. */
static inline int panel_pairs(int k) {
    return round_32(k) / 2 * PANEL;
}

/* One source, panel.c, is compiled per instruction set. x: rows of bf16, ld elements apart. */
struct panel_ops {
    /* B = X^T for x [n, k], and B = X for x [k, n]. */
    void (*pack_transposed)(const uint16_t *x, size_t ld, int n, int k, uint32_t *panels);
    void (*pack)(const uint16_t *x, size_t ld, int k, int n, uint32_t *panels);

    /* A = X for x [m, k], and A = X^T for x [k, m]; lda >= round_32(k), padded with zeros. The
     * latter writes rows up to round_16(m). */
    void (*copy)(const uint16_t *x, size_t ld, int m, int k, uint16_t *a, int lda);
    void (*transpose)(const uint16_t *x, size_t ld, int k, int m, uint16_t *a, int lda);

    /* n elements, rounded to nearest even. */
    void (*round)(const float *x, int n, uint16_t *out);

    /* vector_ops.softmax of attn/compute/cpu/inner/vector.h, but p goes to p, rounded to bf16: A
     * [rows, cols], rows ld apart. sum is of what is not rounded. cols is a multiple of 32. */
    void (*softmax)(float *s, int ld, int rows, int cols, const struct span *spans, float scale,
                    float *max, float *sum, float *correction, uint16_t *p);

    /* vector_ops.scale_rows of attn/compute/cpu/inner/vector.h. */
    void (*scale_rows)(float *x, int ld, int rows, int cols, const float *factor);

    /* vector_ops.softmax_grad of attn/compute/cpu/inner/vector.h, whose results are rounded to
     * bf16: p and ds are B [rows, cols], ds_rows is ds as A, rows ld apart. cols is a multiple
     * of 32. */
    void (*softmax_grad)(float *s, float *dp, int ld, int rows, int cols, const struct span *spans,
                         float scale, const float *lse, const float *delta, uint32_t *p,
                         uint32_t *ds, uint16_t *ds_rows);
};

/* Products on one instruction. */
struct dot_ops {
    /* Around the products of one thread's task; NULL: nothing to do. */
    void (*begin)(void);
    void (*end)(void);

    /* C[m, n] = A[m, k] B[k, n] (+ C if add), fp32; rows of C are ldc apart. m and n are multiples
     * of 16, k is even and the operands are zero from there to the next multiple of 32. Panels of B
     * are b_panel pairs apart. */
    void (*multiply)(int m, int n, int k, const uint16_t *a, int lda, const uint32_t *b,
                     int b_panel, float *c, int ldc, bool add);

    /* Runs the instruction on registers alone, as fast as it goes; floating-point operations. */
    double (*burn)(int64_t rounds);
};

/* x86 only, and with a compiler that knows the instructions. */
extern const struct panel_ops panel_avx512;
extern const struct dot_ops dot_avx512, dot_amx;

#endif
