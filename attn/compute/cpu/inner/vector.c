/* Compiled once per instruction set, with VECTOR_OPS the name of the table to define. Plain loops
 * that the compiler vectorises. */
#include "attn/compute/cpu/inner/vector.h"

#include <math.h>
#include <string.h>

#include "attn/compute/cpu/inner/exp2.h"

static void softmax(float *s, int ld, int rows, int cols, const struct span *spans, float scale,
                    float *max, float *sum, float *correction) {
    const float scale2 = scale * LOG2_E;
    for (int i = 0; i < rows; i++) {
        float *row = s + (size_t)i * (size_t)ld;
        const struct span span = spans[i];
        clear_outside(row, cols, span);
        correction[i] = 1;
        if (span.begin == span.end)
            continue;
        const int n = span.end - span.begin;
        const float block_max = scale2 * largest(row + span.begin, n);
        if (block_max > max[i]) {
            correction[i] = exp2_fast(max[i] - block_max);
            max[i] = block_max;
        }
        sum[i] = sum[i] * correction[i] + exponentials(row + span.begin, n, scale2, max[i]);
    }
}

static void softmax_grad(float *s, float *dp, int ld, int rows, int cols, const struct span *spans,
                         float scale, const float *lse, const float *delta) {
    const float scale2 = scale * LOG2_E;
    for (int i = 0; i < rows; i++) {
        float *p = s + (size_t)i * (size_t)ld;
        float *ds = dp + (size_t)i * (size_t)ld;
        const struct span span = lse[i] == -INFINITY ? (struct span){0, 0} : spans[i];
        clear_outside(p, cols, span);
        clear_outside(ds, cols, span);
        const float lse2 = lse[i] * LOG2_E, delta_i = delta[i];
#pragma omp simd
        for (int j = span.begin; j < span.end; j++) {
            p[j] = exp2_fast(p[j] * scale2 - lse2);
            ds[j] = scale * p[j] * (ds[j] - delta_i);
        }
    }
}

const struct vector_ops VECTOR_OPS = {softmax, scale_rows, softmax_grad};
