/* The vector loops of the fp32 kernels: what happens to a block of logits between its matrix
 * products. One source, vector.c, is compiled once per instruction set; each gives one of these
 * tables. */
#ifndef SPB_ATTN_COMPUTE_CPU_INNER_VECTOR_H
#define SPB_ATTN_COMPUTE_CPU_INNER_VECTOR_H

#include "attn/compute/cpu/inner/span.h"

struct vector_ops {
    /* Online softmax, one more block of keys (Milakov and Gimelshein, 2018). s [rows, cols], rows
     * ld apart: q.k in, p = exp(scale q.k - max) out, 0 outside the spans. max (in units of log 2,
     * -inf at first) and sum [rows] are brought up to date; what was summed before with the old max
     * must be multiplied by correction [rows]. */
    void (*softmax)(float *s, int ld, int rows, int cols, const struct span *spans, float scale,
                    float *max, float *sum, float *correction);

    /* x[i, :] *= factor[i]. */
    void (*scale_rows)(float *x, int ld, int rows, int cols, const float *factor);

    /* s: q.k in, p = exp(scale q.k - lse) out. dp: dO.v in, scale p (dp - delta) out. 0 outside the
     * spans and in rows whose lse is -inf. */
    void (*softmax_grad)(float *s, float *dp, int ld, int rows, int cols, const struct span *spans,
                         float scale, const float *lse, const float *delta);
};

extern const struct vector_ops vector_portable;
extern const struct vector_ops vector_avx2, vector_avx512; /* x86 only */

#endif
