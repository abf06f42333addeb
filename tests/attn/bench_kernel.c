/* How fast the CPU kernels are against a large SGEMM of the same library, the two timed in turn so
 * that both see the same machine. Prints ratios and asserts nothing.
 *
 *     bench_kernel [KERNEL|auto [SEQ [HEAD_DIM [HEADS [KV_HEADS [ROUNDS]]]]]]   (one thread,
 * causal) */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attn/device.h"
#include "attn/flops.h"
#include "attn/layout.h"
#include "base/random.h"
#include "base/trace.h"

enum { GEMM_N = 2048, MAX_ROUNDS = 99 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

static float *filled(size_t n, enum tensor_id tensor, float scale) {
    float *x = malloc(n * sizeof *x);
    if (x)
        random_row(x, n, 1, tensor, 0, 0, 0, 0, scale);
    return x;
}

static float *zeroed(size_t n) {
    return calloc(n, sizeof(float));
}

static double time_gemm(const float *a, const float *b, float *c) {
    const double start = clock_s();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM_N, GEMM_N, GEMM_N, 1, a, GEMM_N, b,
                GEMM_N, 0, c, GEMM_N);
    return clock_s() - start;
}

static double time_attention(struct device *dev, const struct attn_args *args,
                             void (*run)(struct device *, const struct attn_args *)) {
    const double start = clock_s();
    run(dev, args);
    return clock_s() - start;
}

static int argument(int argc, char **argv, int i, int otherwise) {
    return argc > i ? atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv) {
    const int seq = argument(argc, argv, 2, 4096), d = argument(argc, argv, 3, 128);
    const int heads = argument(argc, argv, 4, 8), kv_heads = argument(argc, argv, 5, 8);
    int rounds = argument(argc, argv, 6, 9);
    if (rounds > MAX_ROUNDS)
        rounds = MAX_ROUNDS;

    const struct device_config config = {DTYPE_FP32, d, 1, argc > 1 ? argv[1] : "auto"};
    struct device *dev;
    const enum status st = device_open("cpu", &config, &dev);
    if (st)
        return (int)st;

    const size_t q_size = (size_t)seq * (size_t)heads * (size_t)d;
    const size_t kv_size = (size_t)seq * (size_t)kv_heads * (size_t)d;
    const size_t rows = (size_t)seq * (size_t)heads;
    const struct mask causal = {.causal = true};
    int32_t *pos = malloc((size_t)seq * sizeof *pos);
    struct attn_args args = {
        .batch = 1,
        .heads = heads,
        .kv_heads = kv_heads,
        .head_dim = d,
        .q_tokens = seq,
        .k_tokens = seq,
        .group = heads / kv_heads,
        .scale = (float)(1 / sqrt(d)),
        .mask = &causal,
        .q_pos = pos,
        .k_pos = pos,
        .q = filled(q_size, TENSOR_Q, 9),
        .k = filled(kv_size, TENSOR_K, 1),
        .v = filled(kv_size, TENSOR_V, 1),
        .o = zeroed(q_size),
        .lse = zeroed(rows),
        .dout = filled(q_size, TENSOR_DO, 1),
        .delta = zeroed(rows),
        .dq = zeroed(q_size),
        .dk = zeroed(kv_size),
        .dv = zeroed(kv_size),
    };
    args.workspace = malloc(dev->row->attn_workspace_bytes(dev, &args));
    float *a = filled((size_t)GEMM_N * GEMM_N, TENSOR_X, 1);
    float *b = filled((size_t)GEMM_N * GEMM_N, TENSOR_WQ, 1);
    float *c = zeroed((size_t)GEMM_N * GEMM_N);
    if (!pos || !args.q || !args.k || !args.v || !args.o || !args.lse || !args.dout ||
        !args.delta || !args.dq || !args.dk || !args.dv || !args.workspace || !a || !b || !c)
        return (int)fail(ST_ENV, "out of memory for %d tokens", seq);
    layout_positions(LAYOUT_CONTIGUOUS, seq, 1, 0, pos);

    const uint64_t pairs = mask_visible_pairs(&causal, seq);
    const double fwd_flops = flops_attn_fwd(1, heads, d, pairs);
    const double bwd_flops = flops_attn_bwd(1, heads, d, pairs);
    const double gemm_flops = 2.0 * GEMM_N * GEMM_N * GEMM_N;
    double gemm[MAX_ROUNDS], fwd[MAX_ROUNDS], bwd[MAX_ROUNDS], fwd_ratio[MAX_ROUNDS],
        bwd_ratio[MAX_ROUNDS];

    time_gemm(a, b, c);
    time_attention(dev, &args, dev->row->attn_forward);
    for (int i = 0; i < rounds; i++) {
        gemm[i] = gemm_flops / time_gemm(a, b, c);
        fwd[i] = fwd_flops / time_attention(dev, &args, dev->row->attn_forward);
        bwd[i] = bwd_flops / time_attention(dev, &args, dev->row->attn_backward);
        fwd_ratio[i] = fwd[i] / gemm[i];
        bwd_ratio[i] = bwd[i] / gemm[i];
    }
    printf("kernel %s, causal, seq %d, head_dim %d, heads %d/%d, 1 thread, median of %d rounds\n",
           dev->kernel, seq, d, heads, kv_heads, rounds);
    printf("sgemm %d^3  %6.1f GFLOP/s\n", GEMM_N, median(gemm, rounds) / 1e9);
    printf("forward     %6.1f GFLOP/s  %.3f of sgemm\n", median(fwd, rounds) / 1e9,
           median(fwd_ratio, rounds));
    printf("backward    %6.1f GFLOP/s  %.3f of sgemm\n", median(bwd, rounds) / 1e9,
           median(bwd_ratio, rounds));
    dev->row->close(dev);
    return 0; /* the process's memory goes with it */
}
