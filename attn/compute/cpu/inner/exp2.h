/* 2^x, and what a softmax makes of it and of rows of logits, in a form that compilers vectorise. */
#ifndef SPB_ATTN_COMPUTE_CPU_INNER_EXP2_H
#define SPB_ATTN_COMPUTE_CPU_INNER_EXP2_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "attn/compute/cpu/inner/span.h"

static const float LOG2_E = 1.44269504f;

/* 2^x to about one unit in the last place, 0 below the smallest normal number: denormal
 * probabilities would slow the products down and change nothing. x <= 127.
 *
 * x = n + f with n = round(x), which is exact; 2^f by a polynomial of degree 6 that is 1 at f = 0
 * and has the least maximal relative error (2e-9) on [-1/2, 1/2] (fitted by Lawson's iteration). */
static inline float exp2_fast(float x) {
    /* Adding 1.5 * 2^23 leaves round(x) in the low bits of the sum. */
    const float shift = 0x1.8p23f;
    const float sum = x + shift;
    const float f = x - (sum - shift);
    float p = 1.53533605e-4f;
    p = p * f + 1.33988739e-3f;
    p = p * f + 9.61843692e-3f;
    p = p * f + 5.55033237e-2f;
    p = p * f + 2.40226477e-1f;
    p = p * f + 6.93147182e-1f;
    p = p * f + 1.0f;
    uint32_t n, bits;
    memcpy(&n, &sum, sizeof n);
    memcpy(&bits, &p, sizeof bits);
    bits += n << 23;
    memcpy(&p, &bits, sizeof p);
    return x < -126.0f ? 0.0f : p;
}

/* The two halves of a softmax over a row of n: its maximum, and powers of 2 with their sum. */
static inline float largest(const float *x, int n) {
    float max = -INFINITY;
#pragma omp simd reduction(max : max)
    for (int i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    return max;
}

/* x = 2^(scale x - max); their sum. */
static inline float exponentials(float *x, int n, float scale, float max) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        x[i] = exp2_fast(x[i] * scale - max);
        sum += x[i];
    }
    return sum;
}

/* Of a row of cols, what is not in the span. */
static inline void clear_outside(float *row, int cols, struct span span) {
    memset(row, 0, (size_t)span.begin * sizeof *row);
    memset(row + span.end, 0, (size_t)(cols - span.end) * sizeof *row);
}

/* vector_ops.scale_rows */
static inline void scale_rows(float *x, int ld, int rows, int cols, const float *factor) {
    for (int i = 0; i < rows; i++) {
        if (factor[i] == 1.0f)
            continue;
        float *row = x + (size_t)i * (size_t)ld;
#pragma omp simd
        for (int j = 0; j < cols; j++)
            row[j] *= factor[i];
    }
}

#endif
