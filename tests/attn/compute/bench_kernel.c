/* How fast the CPU kernels are against a large SGEMM of the same library on one thread, and against
 * each other, all timed in turn so that all see the same machine; with one thread, in processor
 * time, which other processes do not stretch. Prints ratios, asserts nothing.
 *
 * Arguments are name=value; kernel and mask take several, separated by commas, and every kernel is
 * run with every mask. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attn/compute/cpu/kernels.h"
#include "attn/problem/flops.h"
#include "base/random.h"
#include "tests/attn/compute/attn_case.h"

enum { GEMM_N = 2048, MAX_ROUNDS = 99, MAX_RUNS = 32 };

struct setting {
    const char *name;
    int value;
};

enum { SEQ, HEAD_DIM, HEADS, KV_HEADS, ROUNDS, THREADS, SETTINGS };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int n) {
    double sorted[MAX_ROUNDS];
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return sorted[n / 2];
}

/* The median of x[i] / y[i]. */
static double median_ratio(const double *x, const double *y, int n) {
    double ratio[MAX_ROUNDS];
    for (int i = 0; i < n; i++)
        ratio[i] = x[i] / y[i];
    return median(ratio, n);
}

/* Seconds of one thread's processor, or of the wall. */
static double now(int threads) {
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct gemm {
    float *a, *b, *c;
};

static double time_gemm(const struct gemm *g) {
    const double start = now(1);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM_N, GEMM_N, GEMM_N, 1, g->a, GEMM_N,
                g->b, GEMM_N, 0, g->c, GEMM_N);
    return now(1) - start;
}

static double time_attention(const struct problem *p,
                             void (*run)(struct compute *, const struct attn_args *)) {
    const double start = now(p->dev->threads);
    run(p->compute, &p->args);
    return now(p->dev->threads) - start;
}

/* A kernel with a mask, and its seconds. */
struct run {
    struct attn_case c;
    struct problem *problem;
    double flops[2], time[2][MAX_ROUNDS];
    double peak[MAX_ROUNDS]; /* FLOP/s of its instruction for pairs; 0: it has none */
};

static double time_peak(struct compute *c) {
    const double start = now(c->dev->threads);
    return c->row->dot_peak(c) / (now(c->dev->threads) - start);
}

static void add_run(struct run *r, const struct attn_kernel *kernel, const struct attn_case *c,
                    int threads) {
    const struct compute_config config = {kernel->dtype, c->head_dim, threads, kernel->name};
    struct compute *compute;
    if (compute_open(&cpu_compute, &config, &compute) != ST_OK)
        exit(ST_USAGE);
    *r = (struct run){.c = *c, .problem = problem_new(compute, c)};
    const uint64_t pairs = mask_visible_pairs(r->problem->args.mask, c->seq);
    r->flops[0] = flops_attn_fwd(c->batch, c->heads, c->head_dim, pairs);
    r->flops[1] = flops_attn_bwd(c->batch, c->heads, c->head_dim, pairs);
}

static void print(const struct run *runs, int n, const double *gemm, int rounds) {
    static const char *const passes[] = {"forward", "backward"};
    const double gemm_flops = 2.0 * GEMM_N * GEMM_N * GEMM_N;
    printf("sgemm %d^3, 1 thread: %.1f GFLOP/s\n", GEMM_N, gemm_flops / median(gemm, rounds) / 1e9);
    for (int i = 0; i < n; i++)
        for (int pass = 0; pass < 2; pass++) {
            const struct run *r = &runs[i];
            printf("%-16s %-20s %-8s %9.2f ms  %6.1f GFLOP/s  %.3f of sgemm",
                   r->problem->compute->kernel, r->c.mask, passes[pass],
                   1e3 * median(r->time[pass], rounds),
                   r->flops[pass] / median(r->time[pass], rounds) / 1e9,
                   median_ratio(gemm, r->time[pass], rounds) * r->flops[pass] / gemm_flops);
            const double peak = median(r->peak, rounds);
            if (peak > 0)
                printf("  %.3f of %.1f peak", r->flops[pass] / median(r->time[pass], rounds) / peak,
                       peak / 1e9);
            if (i > 0)
                printf("  time %.3f of the first's",
                       median_ratio(r->time[pass], runs[0].time[pass], rounds));
            printf("\n");
        }
}

static void measure(struct run *runs, int n, const struct gemm *g, int rounds) {
    double gemm[MAX_ROUNDS];
    for (int i = -1; i < rounds; i++) { /* the first is not counted */
        const int at = i < 0 ? 0 : i;
        gemm[at] = time_gemm(g);
        for (int k = 0; k < n; k++) {
            const struct problem *p = runs[k].problem;
            runs[k].peak[at] = time_peak(p->compute);
            runs[k].time[0][at] = time_attention(p, p->compute->row->attn_forward);
            runs[k].time[1][at] = time_attention(p, p->compute->row->attn_backward);
        }
    }
    print(runs, n, gemm, rounds);
}

static float *filled(size_t n, enum tensor_id tensor) {
    float *x = malloc(n * sizeof *x);
    if (!x)
        abort();
    random_row(x, n, 1, tensor, 0, 0, 0, 0, 1);
    return x;
}

/* The kernels called name; "auto": the best of each type. */
static int find_kernels(const char *name, int head_dim, const struct attn_kernel **out) {
    char why[256];
    int n = 0;
    for (int dtype = 0; dtype < DTYPES; dtype++) {
        const struct attn_kernel *k =
            attn_kernel_find(name, (enum dtype)dtype, head_dim, why, sizeof why);
        if (k)
            out[n++] = k;
    }
    if (n == 0)
        exit((int)fail(ST_USAGE, "%s", why));
    return n;
}

/* Reads name=value into settings, kernels or masks; false: there is no such name. */
static bool read_argument(char *text, struct setting *settings, char **kernels, char **masks) {
    char *value = strchr(text, '=');
    if (!value)
        return false;
    *value++ = '\0';
    if (strcmp(text, "kernel") == 0)
        *kernels = value;
    else if (strcmp(text, "mask") == 0)
        *masks = value;
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(text, settings[i].name) == 0)
            return (settings[i].value = atoi(value)) > 0;
    return *kernels == value || *masks == value;
}

int main(int argc, char **argv) {
    struct setting s[SETTINGS] = {
        [SEQ] = {"seq", 4096},        [HEAD_DIM] = {"head_dim", 128}, [HEADS] = {"heads", 8},
        [KV_HEADS] = {"kv_heads", 8}, [ROUNDS] = {"rounds", 9},       [THREADS] = {"threads", 1}};
    char any[] = "auto", causal[] = "causal", *kernels = any, *masks = causal;
    for (int i = 1; i < argc; i++)
        if (!read_argument(argv[i], s, &kernels, &masks))
            return (int)fail(ST_USAGE,
                             "bench_kernel [kernel=NAMES] [mask=MASKS] [seq=N] "
                             "[head_dim=N] [heads=N] [kv_heads=N] [rounds=N] [threads=N]");
    const int rounds = s[ROUNDS].value < MAX_ROUNDS ? s[ROUNDS].value : MAX_ROUNDS;

    static struct run runs[MAX_RUNS];
    int n = 0;
    char *next_kernel, *next_mask;
    for (char *name = strtok_r(kernels, ",", &next_kernel); name;
         name = strtok_r(NULL, ",", &next_kernel)) {
        const struct attn_kernel *found[DTYPES];
        const int n_found = find_kernels(name, s[HEAD_DIM].value, found);
        for (int k = 0; k < n_found; k++) {
            char *copy = strdup(masks);
            for (char *mask = strtok_r(copy, ",", &next_mask); mask && n < MAX_RUNS;
                 mask = strtok_r(NULL, ",", &next_mask)) {
                const struct attn_case c = {.batch = 1,
                                            .heads = s[HEADS].value,
                                            .kv_heads = s[KV_HEADS].value,
                                            .head_dim = s[HEAD_DIM].value,
                                            .group = s[HEADS].value / s[KV_HEADS].value,
                                            .seq = s[SEQ].value,
                                            .sp = 1,
                                            .layout = LAYOUT_CONTIGUOUS,
                                            .mask = mask};
                add_run(&runs[n++], found[k], &c, s[THREADS].value);
            }
        }
    }
    const size_t size = (size_t)GEMM_N * GEMM_N;
    const struct gemm g = {filled(size, TENSOR_X), filled(size, TENSOR_WQ),
                           filled(size, TENSOR_WK)};
    for (int i = 0; i < SETTINGS; i++)
        printf("%s %d%s", s[i].name, s[i].value, i + 1 < SETTINGS ? ", " : "\n");
    measure(runs, n, &g, rounds);
    return 0;
}
