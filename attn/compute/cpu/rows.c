/* Operations on rows of [batch, tokens, heads, head_dim]: bound by memory, computed in fp32
 * whatever the tensor holds. */
#include <math.h>
#include <string.h>

#include "attn/compute/cpu/cpu.h"
#include "attn/compute/cpu/flash/kernel.h"
#include "device/cpu/elements.h"

/* Rows of a tensor in memory order, and where row r stands in [batch, heads, tokens]. */
static int64_t row_count(struct rows_shape s) {
    return (int64_t)s.batch * s.tokens * s.heads;
}

static size_t lse_index(struct rows_shape s, int64_t r) {
    const int64_t head = r % s.heads, token = r / s.heads % s.tokens;
    const int64_t batch = r / s.heads / s.tokens;
    return (size_t)((batch * s.heads + head) * s.tokens + token);
}

void cpu_delta(struct compute *c, struct rows_shape shape, const void *o, const void *dout,
               float *delta) {
    const int d = shape.head_dim;
    const int64_t rows = row_count(shape);
#pragma omp parallel for num_threads(c->dev->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        float a[HEAD_DIM_MAX], b[HEAD_DIM_MAX];
        const float *x = elements_load(o, c->dtype, (size_t)r * (size_t)d, d, a);
        const float *y = elements_load(dout, c->dtype, (size_t)r * (size_t)d, d, b);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < d; i++)
            sum += x[i] * y[i];
        delta[lse_index(shape, r)] = sum;
    }
}

/* log(exp(a) + exp(b)), both finite. */
static float log_add(float a, float b) {
    const float max = fmaxf(a, b), min = fminf(a, b);
    return max + log1pf(expf(min - max));
}

void cpu_merge(struct compute *c, struct rows_shape shape, float *o, float *lse, const void *o_part,
               const float *lse_part) {
    const int d = shape.head_dim;
    const int64_t rows = row_count(shape);
#pragma omp parallel for num_threads(c->dev->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        const size_t at = lse_index(shape, r);
        const float old = lse[at], part = lse_part[at];
        float *row = o + (size_t)r * (size_t)d;
        if (part == -INFINITY) {
            if (old == -INFINITY)
                memset(row, 0, (size_t)d * sizeof *row);
            continue;
        }
        float buffer[HEAD_DIM_MAX];
        const float *add = elements_load(o_part, c->dtype, (size_t)r * (size_t)d, d, buffer);
        if (old == -INFINITY) {
            memcpy(row, add, (size_t)d * sizeof *row);
            lse[at] = part;
            continue;
        }
        /* From the difference alone: the rounding of lse must not make the weights' sum drift. */
        const float keep = 1 / (1 + expf(part - old)), take = 1 / (1 + expf(old - part));
        for (int i = 0; i < d; i++)
            row[i] = keep * row[i] + take * add[i];
        lse[at] = log_add(old, part);
    }
}

/* Rotates the pairs (i, i + half) of one row by the angles whose cosines and sines are given. */
static void rotate(float *out, const float *x, const float *cosine, const float *sine, int half) {
    for (int i = 0; i < half; i++) {
        const float a = x[i], b = x[i + half];
        out[i] = a * cosine[i] - b * sine[i];
        out[i + half] = b * cosine[i] + a * sine[i];
    }
}

void cpu_rope(struct compute *c, struct rows_shape shape, void *x, enum dtype dtype,
              const int32_t *pos, double theta, bool inverse) {
    const int d = shape.head_dim, half = d / 2;
    double frequency[HEAD_DIM_MAX / 2];
    for (int i = 0; i < half; i++)
        frequency[i] = pow(theta, -2.0 * i / d);
#pragma omp parallel for num_threads(c->dev->threads) schedule(static)
    for (int t = 0; t < shape.tokens; t++) {
        /* In double: at position 10^5 an angle in fp32 is wrong by a hundredth. */
        float cosine[HEAD_DIM_MAX / 2], sine[HEAD_DIM_MAX / 2];
        for (int i = 0; i < half; i++) {
            const double angle = pos[t] * frequency[i];
            cosine[i] = (float)cos(angle);
            sine[i] = (float)(inverse ? -sin(angle) : sin(angle));
        }
        for (int b = 0; b < shape.batch; b++)
            for (int h = 0; h < shape.heads; h++) {
                const int64_t row = ((int64_t)b * shape.tokens + t) * shape.heads + h;
                float in[HEAD_DIM_MAX], out[HEAD_DIM_MAX];
                rotate(out, elements_load(x, dtype, (size_t)row * (size_t)d, d, in), cosine, sine,
                       half);
                elements_store(x, dtype, (size_t)row * (size_t)d, d, out);
            }
    }
}
