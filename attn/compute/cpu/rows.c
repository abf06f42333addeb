/* Operations on rows of [batch, tokens, heads, head_dim]: bound by memory, computed in fp32
 * whatever the tensor holds. */
#include <math.h>
#include <string.h>

#include "attn/compute/cpu/cpu.h"
#include "attn/compute/cpu/flash/kernel.h"
#include "device/bf16.h"

/* Elements that are brought to fp32 at a time: a row of a head, or a piece of a flat array. */
enum { PIECE = HEAD_DIM_MAX };

/* Elements [at, at + n) of x as fp32: x itself or a copy in buffer. */
static const float *load(const void *x, enum dtype dtype, size_t at, int n, float *buffer) {
    if (dtype == DTYPE_FP32)
        return (const float *)x + at;
    bf16_widen((const uint16_t *)x + at, (size_t)n, buffer);
    return buffer;
}

static void store(void *x, enum dtype dtype, size_t at, int n, const float *from) {
    if (dtype == DTYPE_FP32)
        memcpy((float *)x + at, from, (size_t)n * sizeof *from);
    else
        bf16_narrow(from, (size_t)n, (uint16_t *)x + at);
}

/* Rows of a tensor in memory order, and where row r stands in [batch, heads, tokens]. */
static int64_t row_count(struct rows_shape s) {
    return (int64_t)s.batch * s.tokens * s.heads;
}

static size_t lse_index(struct rows_shape s, int64_t r) {
    const int64_t head = r % s.heads, token = r / s.heads % s.tokens;
    const int64_t batch = r / s.heads / s.tokens;
    return (size_t)((batch * s.heads + head) * s.tokens + token);
}

void cpu_delta(struct device *dev, struct rows_shape shape, const void *o, const void *dout,
               float *delta) {
    const int d = shape.head_dim;
    const int64_t rows = row_count(shape);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        float a[PIECE], b[PIECE];
        const float *x = load(o, dev->dtype, (size_t)r * (size_t)d, d, a);
        const float *y = load(dout, dev->dtype, (size_t)r * (size_t)d, d, b);
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

void cpu_merge(struct device *dev, struct rows_shape shape, float *o, float *lse,
               const void *o_part, const float *lse_part) {
    const int d = shape.head_dim;
    const int64_t rows = row_count(shape);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        const size_t at = lse_index(shape, r);
        const float old = lse[at], part = lse_part[at];
        float *row = o + (size_t)r * (size_t)d;
        if (part == -INFINITY) {
            if (old == -INFINITY)
                memset(row, 0, (size_t)d * sizeof *row);
            continue;
        }
        float buffer[PIECE];
        const float *add = load(o_part, dev->dtype, (size_t)r * (size_t)d, d, buffer);
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

void cpu_rope(struct device *dev, struct rows_shape shape, void *x, enum dtype dtype,
              const int32_t *pos, double theta, bool inverse) {
    const int d = shape.head_dim, half = d / 2;
    double frequency[PIECE / 2];
    for (int i = 0; i < half; i++)
        frequency[i] = pow(theta, -2.0 * i / d);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int t = 0; t < shape.tokens; t++) {
        /* In double: at position 10^5 an angle in fp32 is wrong by a hundredth. */
        float cosine[PIECE / 2], sine[PIECE / 2];
        for (int i = 0; i < half; i++) {
            const double angle = pos[t] * frequency[i];
            cosine[i] = (float)cos(angle);
            sine[i] = (float)(inverse ? -sin(angle) : sin(angle));
        }
        for (int b = 0; b < shape.batch; b++)
            for (int h = 0; h < shape.heads; h++) {
                const int64_t row = ((int64_t)b * shape.tokens + t) * shape.heads + h;
                float in[PIECE], out[PIECE];
                rotate(out, load(x, dtype, (size_t)row * (size_t)d, d, in), cosine, sine, half);
                store(x, dtype, (size_t)row * (size_t)d, d, out);
            }
    }
}

/* Pieces that n elements fall into, and the length of piece p. */
static int64_t piece_count(size_t n) {
    return (int64_t)((n + PIECE - 1) / PIECE);
}

static int piece_length(size_t n, int64_t p) {
    const size_t left = n - (size_t)p * PIECE;
    return left < PIECE ? (int)left : PIECE;
}

void cpu_add(struct device *dev, float *dst, const void *src, enum dtype src_dtype, size_t n) {
    const int64_t pieces = piece_count(n);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t p = 0; p < pieces; p++) {
        float buffer[PIECE];
        const int length = piece_length(n, p);
        const float *x = load(src, src_dtype, (size_t)p * PIECE, length, buffer);
        float *y = dst + (size_t)p * PIECE;
        for (int i = 0; i < length; i++)
            y[i] += x[i];
    }
}

void cpu_convert(struct device *dev, void *dst, enum dtype dst_dtype, const void *src,
                 enum dtype src_dtype, size_t n) {
    const int64_t pieces = piece_count(n);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t p = 0; p < pieces; p++) {
        float buffer[PIECE];
        const int length = piece_length(n, p);
        store(dst, dst_dtype, (size_t)p * PIECE, length,
              load(src, src_dtype, (size_t)p * PIECE, length, buffer));
    }
}
