/* What the reference of a layer is made of: generated tensors, products and rotations in double
 * precision. Arrays are allocated, and freed by the caller. */
#ifndef SPB_TESTS_ATTN_METHOD_LAYER_PARTS_H
#define SPB_TESTS_ATTN_METHOD_LAYER_PARTS_H

#include "attn/layer/layer.h"
#include "base/random.h"

double *part_zeros(size_t n);

/* n elements as a layer of this type stores them. */
void part_store(const struct problem *p, double *x, size_t n);

/* [sequences, seq, heads, width] as stored, of all tokens of so many sequences. */
double *part_generated(const struct problem *p, int sequences, enum tensor_id tensor, int heads,
                       int width, float scale);

/* Rows [row0, row0 + rows) of a matrix of weights as products read them; row: one of struct
 * layer's. */
double *part_weights(const struct problem *p,
                     void (*row)(const struct problem *, size_t, int, int, float *), size_t row0,
                     int rows, int cols);

/* out[n, m] += in[n, k] w[m, k]^T */
void part_times_transposed(const double *in, const double *w, int n, int m, int k, double *out);
/* out[n, k] += in[n, m] w[m, k] */
void part_times(const double *in, const double *w, int n, int m, int k, double *out);
/* out[m, k] += a[n, m]^T b[n, k] */
void part_transposed_times(const double *a, const double *b, int n, int m, int k, double *out);

/* RoPE of x [tokens, heads, head_dim], where tokens are whole sequences; sign -1: back. Elements i
 * and i + head_dim / 2 are the parts of a complex number, turned by pos theta^(-2i / head_dim). */
void part_rotate(const struct problem *p, double *x, int tokens, int heads, double sign);

#endif
