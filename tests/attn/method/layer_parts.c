#include "tests/attn/method/layer_parts.h"

#include <math.h>
#include <stdlib.h>

#include "device/bf16.h"

double *part_zeros(size_t n) {
    double *x = calloc(n > 0 ? n : 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

/* What a layer of this type stores. */
static double stored(const struct problem *p, double x) {
    return p->dtype == DTYPE_BF16 ? (double)bf16_round((float)x) : x;
}

void part_store(const struct problem *p, double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = stored(p, x[i]);
}

double *part_generated(const struct problem *p, int sequences, enum tensor_id tensor, int heads,
                       int width, float scale) {
    const size_t w = (size_t)width, n = (size_t)sequences * (size_t)p->seq * (size_t)heads;
    double *out = part_zeros(n * w);
    float *row = calloc(w, sizeof *row);
    if (!row)
        abort();
    for (size_t i = 0; i < n; i++) {
        const size_t token = i / (size_t)heads;
        random_row(row, w, p->seed, tensor, (uint32_t)(token / (size_t)p->seq),
                   (uint32_t)(token % (size_t)p->seq), (uint32_t)(i % (size_t)heads), 0, scale);
        for (size_t c = 0; c < w; c++)
            out[i * w + c] = stored(p, row[c]);
    }
    free(row);
    return out;
}

double *part_weights(const struct problem *p,
                     void (*row)(const struct problem *, size_t, int, int, float *), size_t row0,
                     int rows, int cols) {
    const size_t w = (size_t)cols;
    double *out = part_zeros((size_t)rows * w);
    float *one = calloc(w, sizeof *one);
    if (!one)
        abort();
    for (size_t r = 0; r < (size_t)rows; r++) {
        row(p, row0 + r, 0, cols, one);
        for (size_t c = 0; c < w; c++)
            out[r * w + c] = stored(p, one[c]);
    }
    free(one);
    return out;
}

void part_times_transposed(const double *in, const double *w, int n, int m, int k, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int c = 0; c < k; c++)
                out[(size_t)i * (size_t)m + (size_t)j] +=
                    in[(size_t)i * (size_t)k + (size_t)c] * w[(size_t)j * (size_t)k + (size_t)c];
}

void part_times(const double *in, const double *w, int n, int m, int k, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int c = 0; c < k; c++)
                out[(size_t)i * (size_t)k + (size_t)c] +=
                    in[(size_t)i * (size_t)m + (size_t)j] * w[(size_t)j * (size_t)k + (size_t)c];
}

void part_transposed_times(const double *a, const double *b, int n, int m, int k, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int c = 0; c < k; c++)
                out[(size_t)j * (size_t)k + (size_t)c] +=
                    a[(size_t)i * (size_t)m + (size_t)j] * b[(size_t)i * (size_t)k + (size_t)c];
}

void part_rotate(const struct problem *p, double *x, int tokens, int heads, double sign) {
    const int half = p->head_dim / 2;
    for (int row = 0; row < tokens * heads; row++, x += p->head_dim)
        for (int i = 0; i < half; i++) {
            const double angle = row / heads % p->seq / pow(p->rope_theta, (double)i / half);
            const double re = x[i], im = x[half + i];
            x[i] = re * cos(angle) - sign * im * sin(angle);
            x[half + i] = sign * re * sin(angle) + im * cos(angle);
        }
}
