/* How fast the CPU kernels are under a causal mask against a large SGEMM of the same library on one
 * thread, the two timed in turn so that both see the same machine. Prints ratios, asserts nothing.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "attn/flops.h"
#include "base/random.h"
#include "base/trace.h"
#include "tests/attn/attn_case.h"

enum { GEMM_N = 2048, MAX_ROUNDS = 99 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

struct gemm {
    float *a, *b, *c;
};

static double time_gemm(const struct gemm *g) {
    const double start = clock_s();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM_N, GEMM_N, GEMM_N, 1, g->a, GEMM_N,
                g->b, GEMM_N, 0, g->c, GEMM_N);
    return clock_s() - start;
}

static double time_attention(const struct problem *p,
                             void (*run)(struct device *, const struct attn_args *)) {
    const double start = clock_s();
    run(p->dev, &p->args);
    return clock_s() - start;
}

static int argument(int argc, char **argv, int i, int otherwise) {
    return argc > i ? atoi(argv[i]) : otherwise;
}

static void measure(struct problem *p, const struct gemm *g, int seq, int rounds) {
    const struct attn_args *a = &p->args;
    const uint64_t pairs = mask_visible_pairs(a->mask, seq);
    const double fwd_flops = flops_attn_fwd(a->batch, a->heads, a->head_dim, pairs);
    const double bwd_flops = flops_attn_bwd(a->batch, a->heads, a->head_dim, pairs);
    const double gemm_flops = 2.0 * GEMM_N * GEMM_N * GEMM_N;
    double gemm[MAX_ROUNDS], fwd[MAX_ROUNDS], bwd[MAX_ROUNDS];
    double fwd_ratio[MAX_ROUNDS], bwd_ratio[MAX_ROUNDS];

    time_gemm(g);
    problem_run(p);
    for (int i = 0; i < rounds; i++) {
        gemm[i] = gemm_flops / time_gemm(g);
        fwd[i] = fwd_flops / time_attention(p, p->dev->row->attn_forward);
        bwd[i] = bwd_flops / time_attention(p, p->dev->row->attn_backward);
        fwd_ratio[i] = fwd[i] / gemm[i];
        bwd_ratio[i] = bwd[i] / gemm[i];
    }
    printf("sgemm %d^3, 1 thread  %6.1f GFLOP/s\n", GEMM_N, median(gemm, rounds) / 1e9);
    printf("forward               %6.1f GFLOP/s  %.3f of sgemm\n", median(fwd, rounds) / 1e9,
           median(fwd_ratio, rounds));
    printf("backward              %6.1f GFLOP/s  %.3f of sgemm\n", median(bwd, rounds) / 1e9,
           median(bwd_ratio, rounds));
}

static float *filled(size_t n, enum tensor_id tensor) {
    float *x = malloc(n * sizeof *x);
    if (!x)
        abort();
    random_row(x, n, 1, tensor, 0, 0, 0, 0, 1);
    return x;
}

int main(int argc, char **argv) {
    const char *kernel = argc > 1 ? argv[1] : "auto";
    const int seq = argument(argc, argv, 2, 4096), head_dim = argument(argc, argv, 3, 128);
    const int heads = argument(argc, argv, 4, 8), kv_heads = argument(argc, argv, 5, 8);
    const int rounds = argument(argc, argv, 6, 9), threads = argument(argc, argv, 7, 1);
    if (seq < 1 || kv_heads < 1 || heads < kv_heads || rounds < 1 || rounds > MAX_ROUNDS ||
        threads < 1)
        return (int)fail(ST_USAGE,
                         "bench_kernel [KERNEL|auto [SEQ [HEAD_DIM [HEADS [KV_HEADS "
                         "[ROUNDS (1 to %d) [THREADS]]]]]]]",
                         MAX_ROUNDS);

    struct device *dev;
    const struct device_config config = {DTYPE_FP32, head_dim, threads, kernel};
    const enum status st = device_open("cpu", &config, &dev);
    if (st)
        return (int)st;
    const struct attn_case c = {.batch = 1,
                                .heads = heads,
                                .kv_heads = kv_heads,
                                .head_dim = head_dim,
                                .group = heads / kv_heads,
                                .seq = seq,
                                .sp = 1,
                                .layout = LAYOUT_CONTIGUOUS,
                                .causal = true};
    struct problem *p = problem_new(dev, &c);
    const size_t size = (size_t)GEMM_N * GEMM_N;
    const struct gemm g = {filled(size, TENSOR_X), filled(size, TENSOR_WQ),
                           filled(size, TENSOR_WK)};

    printf("kernel %s, causal, seq %d, head_dim %d, heads %d/%d, threads %d, median of %d rounds\n",
           dev->kernel, seq, head_dim, heads, kv_heads, threads, rounds);
    measure(p, &g, seq, rounds);
    free(g.a);
    free(g.b);
    free(g.c);
    problem_free(p);
    dev->row->close(dev);
    return 0;
}
