/* The table of what computes, and the CPU's operations other than attention. */
#include "attn/compute/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "device/bf16.h"
#include "tests/cmocka_all.h"

static struct compute *open_cpu(int threads) {
    const struct compute_config config = {DTYPE_FP32, 64, threads, NULL};
    struct compute *compute;
    assert_int_equal(compute_open(&cpu_compute, &config, &compute), ST_OK);
    return compute;
}

static void fill(float *x, size_t n, uint32_t row) {
    random_row(x, n, 5, TENSOR_RAW, 0, row, 0, 0, 1);
}

static void refused(void **state) {
    (void)state;
    struct compute *compute;
    const struct compute_config unknown = {DTYPE_FP32, 64, 1, "fp32-abacus"};
    const struct compute_config head_dim = {DTYPE_FP32, 63, 1, "auto"};
    const struct compute_config dtype = {DTYPE_BF16, 64, 1, "portable-fp32"};
    assert_int_equal(compute_open(&cpu_compute, &unknown, &compute), ST_USAGE);
    assert_int_equal(compute_open(&cpu_compute, &head_dim, &compute), ST_USAGE);
    assert_int_equal(compute_open(&cpu_compute, &dtype, &compute), ST_USAGE);
}

enum { LD = 72, ROWS = 72 }; /* storage of every matrix: larger than any side */

static float at(const float *x, bool trans, int row, int col) {
    return trans ? x[(size_t)col * LD + (size_t)row] : x[(size_t)row * LD + (size_t)col];
}

static void check_gemm(struct compute *compute, int m, int n, int k, bool trans_a, bool trans_b,
                       float beta) {
    enum { SIZE = ROWS * LD };
    static float a[SIZE], b[SIZE], c[SIZE], before[SIZE];
    fill(a, SIZE, 1);
    fill(b, SIZE, 2);
    fill(c, SIZE, 3);
    if (beta == 0)
        c[0] = NAN;
    memcpy(before, c, sizeof c);
    const struct gemm_args args = {.trans_a = trans_a,
                                   .trans_b = trans_b,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .a = a,
                                   .lda = LD,
                                   .b = b,
                                   .ldb = LD,
                                   .beta = beta,
                                   .c = c,
                                   .ldc = LD};
    compute->row->gemm(compute, &args);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < LD; j++) {
            if (i >= m || j >= n) {
                assert_true(c[i * LD + j] == before[i * LD + j]);
                continue;
            }
            double want = beta == 0 ? 0 : (double)beta * before[i * LD + j];
            for (int l = 0; l < k; l++)
                want += (double)at(a, trans_a, i, l) * at(b, trans_b, l, j);
            assert_true(fabs(c[i * LD + j] - want) < 1e-5);
        }
}

static void products(void **state) {
    (void)state;
    static const int shapes[][3] = {{1, 1, 1}, {5, 70, 33}, {70, 5, 12}, {64, 64, 64}, {33, 31, 1}};
    for (int threads = 1; threads <= 3; threads++) {
        struct compute *compute = open_cpu(threads);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int t = 0; t < 4; t++)
                for (int beta = 0; beta < 2; beta++)
                    check_gemm(compute, shapes[s][0], shapes[s][1], shapes[s][2], t & 1, t & 2,
                               (float)beta);
        compute_close(compute);
    }
}

static void count_poll(void *arg) {
    ++*(int *)arg;
}

/* One that polls is made of pieces: with several of them each way it is the same as the whole. */
static void polled_products(void **state) {
    (void)state;
    enum { SIDE = 1040, SIZE = SIDE * SIDE };
    float *x = malloc(4 * SIZE * sizeof *x), *whole = x + 2 * SIZE, *pieces = x + 3 * SIZE;
    assert_non_null(x);
    fill(x, 4 * SIZE, 1);
    struct compute *compute = open_cpu(1);
    for (int t = 0; t < 4; t++) {
        int polls = 0;
        struct gemm_args args = {.trans_a = t & 1,
                                 .trans_b = t & 2,
                                 .m = 530,
                                 .n = 1030,
                                 .k = 300,
                                 .a = x,
                                 .lda = SIDE,
                                 .b = x + SIZE,
                                 .ldb = SIDE,
                                 .beta = t & 1 ? 0.5f : 0,
                                 .c = whole,
                                 .ldc = SIDE};
        memcpy(pieces, whole, SIZE * sizeof *x);
        compute->row->gemm(compute, &args);
        args.c = pieces;
        args.poll = count_poll;
        args.poll_arg = &polls;
        compute->row->gemm(compute, &args);
        assert_true(polls > 1);
        for (int i = 0; i < SIZE; i++)
            assert_true(fabsf(whole[i] - pieces[i]) < 1e-4f);
    }
    compute_close(compute);
    free(x);
}

/* A matrix of n elements that bf16 has, stored in either type. */
struct matrix {
    float *x;
    uint16_t *half;
};

static struct matrix make_matrix(size_t n, uint32_t row) {
    struct matrix m = {calloc(n, sizeof *m.x), calloc(n, sizeof *m.half)};
    assert_true(m.x && m.half);
    fill(m.x, n, row);
    for (size_t i = 0; i < n; i++)
        m.half[i] = float_to_bf16(m.x[i]);
    return m;
}

static void free_matrix(struct matrix m) {
    free(m.x);
    free(m.half);
}

/* Operands of either type, and one that bf16 does not have, are multiplied as bf16. */
static void check_bf16_gemm(struct compute *compute, int m, int n, int k, int bits) {
    const bool trans_a = bits & 1, trans_b = bits & 2, half_a = bits & 4, half_b = bits & 8;
    const bool half_c = bits & 16;
    const float beta = half_c || !(bits & 32) ? 0 : 0.5f;
    const int lda = (trans_a ? m : k) + 3, ldb = (trans_b ? k : n) + 5, ldc = n + 1;
    const struct matrix a = make_matrix((size_t)(lda * (trans_a ? k : m)), 1);
    const struct matrix b = make_matrix((size_t)(ldb * (trans_b ? n : k)), 2);
    const struct matrix c = make_matrix((size_t)(ldc * m), 3);
    float *const before = malloc((size_t)(ldc * m) * sizeof *before);
    memcpy(before, c.x, (size_t)(ldc * m) * sizeof *before);
    const struct gemm_args args = {.trans_a = trans_a,
                                   .trans_b = trans_b,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .a = half_a ? (void *)a.half : a.x,
                                   .lda = lda,
                                   .b = half_b ? (void *)b.half : b.x,
                                   .ldb = ldb,
                                   .beta = beta,
                                   .c = half_c ? (void *)c.half : c.x,
                                   .ldc = ldc,
                                   .a_dtype = half_a ? DTYPE_BF16 : DTYPE_FP32,
                                   .b_dtype = half_b ? DTYPE_BF16 : DTYPE_FP32,
                                   .c_dtype = half_c ? DTYPE_BF16 : DTYPE_FP32};
    compute->row->gemm(compute, &args);
    /* Every element of a few rows, the last one among them. */
    for (int i = m - 1; i >= 0; i -= m > 20 ? 97 : 1)
        for (int j = 0; j < ldc; j++) {
            const size_t e = (size_t)(i * ldc + j);
            if (j == n) {
                assert_true(c.x[e] == before[e]);
                continue;
            }
            double want = (double)beta * before[e];
            for (int l = 0; l < k; l++)
                want += (double)bf16_to_float(a.half[trans_a ? l * lda + i : i * lda + l]) *
                        bf16_to_float(b.half[trans_b ? j * ldb + l : l * ldb + j]);
            const double got = half_c ? bf16_to_float(c.half[e]) : c.x[e];
            assert_true(fabs(got - want) < (half_c ? fabs(want) / 256 : 0) + 1e-4);
        }
    free_matrix(a);
    free_matrix(b);
    free_matrix(c);
    free(before);
}

static void bf16_products(void **state) {
    (void)state;
    static const char *const kernels[] = {"portable-bf16", "auto"};
    for (int i = 0; i < 2; i++) {
        const struct compute_config config = {DTYPE_BF16, 64, 2, kernels[i]};
        struct compute *compute;
        assert_int_equal(compute_open(&cpu_compute, &config, &compute), ST_OK);
        for (int bits = 0; bits < 64; bits++) {
            check_bf16_gemm(compute, 1, 1, 1, bits);
            check_bf16_gemm(compute, 5, 37, 33, bits);
        }
        check_bf16_gemm(compute, 1100, 270, 300, 0); /* several blocks each way */
        check_bf16_gemm(compute, 40, 600, 520, 3 + 8 + 32);
        compute_close(compute);
    }
}

static void delta_by_rows(void **state) {
    (void)state;
    enum { B = 2, T = 3, H = 2, D = 16, N = B * T * H * D };
    float o[N], dout[N], delta[B * H * T];
    fill(o, N, 1);
    fill(dout, N, 2);
    struct compute *compute = open_cpu(2);
    compute->row->delta(compute, (struct rows_shape){B, T, H, D}, o, dout, delta);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int h = 0; h < H; h++) {
                double want = 0;
                for (int i = 0; i < D; i++) {
                    const int e = ((b * T + t) * H + h) * D + i;
                    want += (double)o[e] * dout[e];
                }
                assert_true(fabs(delta[(b * H + h) * T + t] - want) < 1e-6);
            }
    compute_close(compute);
}

/* Rows: both empty, nothing new, nothing old, equal weights, 1 : 3. */
static void merges(void **state) {
    (void)state;
    enum { T = 5, D = 8 };
    const float none = -INFINITY;
    float lse[T] = {none, 2, none, 1, 0};
    const float lse_part[T] = {none, none, -3, 1, logf(3)};
    const float want_lse[T] = {none, 2, -3, 1 + logf(2), logf(4)};
    const float want[T] = {0, 10, 20, 15, 17.5f};
    float o[T * D], part[T * D];
    for (int i = 0; i < T * D; i++) {
        o[i] = lse[i / D] == none ? NAN : 10; /* what is empty is not read */
        part[i] = lse_part[i / D] == none ? NAN : 20;
    }
    struct compute *compute = open_cpu(1);
    compute->row->merge(compute, (struct rows_shape){1, T, 1, D}, o, lse, part, lse_part);
    for (int i = 0; i < T * D; i++)
        assert_true(fabsf(o[i] - want[i / D]) < 1e-5f);
    for (int i = 0; i < T; i++)
        assert_true(lse[i] == want_lse[i] || fabsf(lse[i] - want_lse[i]) < 1e-6f);
    compute_close(compute);
}

static void rotations(void **state) {
    (void)state;
    enum { B = 2, T = 3, H = 2, D = 8, N = B * T * H * D };
    const double theta = 10000;
    const int32_t pos[T] = {0, 7, 131071};
    float x[N], before[N];
    fill(x, N, 4);
    memcpy(before, x, sizeof x);
    struct compute *compute = open_cpu(2);
    const struct rows_shape shape = {B, T, H, D};
    compute->row->rope(compute, shape, x, DTYPE_FP32, pos, theta, false);
    for (int r = 0; r < B * T * H; r++)
        for (int i = 0; i < D / 2; i++) {
            const double angle = pos[r / H % T] / pow(theta, 2.0 * i / D);
            const float *in = before + (size_t)r * D, *out = x + (size_t)r * D;
            assert_true(fabs(out[i] - (in[i] * cos(angle) - in[i + D / 2] * sin(angle))) < 1e-6);
            assert_true(fabs(out[i + D / 2] - (in[i + D / 2] * cos(angle) + in[i] * sin(angle))) <
                        1e-6);
        }
    compute->row->rope(compute, shape, x, DTYPE_FP32, pos, theta, true);
    for (int i = 0; i < N; i++)
        assert_true(fabsf(x[i] - before[i]) < 1e-6f);
    compute_close(compute);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),         cmocka_unit_test(products),
        cmocka_unit_test(polled_products), cmocka_unit_test(bf16_products),
        cmocka_unit_test(delta_by_rows),   cmocka_unit_test(merges),
        cmocka_unit_test(rotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
