#include "attn/compute/cpu/cpu.h"

#include <cblas.h>
#include <stdlib.h>

#include "attn/compute/cpu/inner/panel.h"
#include "attn/compute/cpu/kernels.h"
#include "attn/compute/cpu/openblas.h"
#include "device/cpu/cpu.h"

struct cpu {
    struct compute base;
    const struct attn_kernel *kernel;
    void *gemm_scratch; /* like what a BLAS keeps, in no ledger */
};

static const struct attn_kernel *kernel_of(const struct compute *c) {
    return ((const struct cpu *)c)->kernel;
}

static const struct attn_kernel *kernel_for(const struct compute_config *config, char *why,
                                            size_t why_size) {
    return attn_kernel_find(config->kernel, config->dtype, config->head_dim, why, why_size);
}

static bool supports(const struct compute_config *config, char *why, size_t why_size) {
    return kernel_for(config, why, why_size) != NULL;
}

/* Tiles are of one size, whatever the piece. */
static size_t workspace_bytes(const struct compute_config *config, const struct attn_piece *piece) {
    char why[256];
    const struct attn_kernel *kernel = kernel_for(config, why, sizeof why);
    (void)piece;
    return kernel ? kernel->workspace_bytes(config->threads) : 0;
}

static void close_cpu(struct compute *c) {
    cpu_device.close(c->dev);
    free(((struct cpu *)c)->gemm_scratch);
    free(c);
}

static enum status open_cpu(const struct compute_config *config, struct compute **out) {
    char why[256];
    const struct attn_kernel *kernel = kernel_for(config, why, sizeof why);
    if (!kernel)
        return fail(ST_USAGE, "%s", why);
    struct cpu *cpu = malloc(sizeof *cpu);
    if (!cpu)
        return fail(ST_ENV, "out of memory while opening the cpu device");
    *cpu = (struct cpu){{&cpu_compute, NULL, kernel->name, config->dtype}, kernel, NULL};
    const size_t scratch = cpu_gemm_scratch_bytes(kernel, config->threads);
    enum status st = openblas_reserve(config->threads);
    if (st == ST_OK)
        st = cpu_device.open(config->threads, &cpu->base.dev);
    if (st == ST_OK && scratch > 0) {
        cpu->gemm_scratch = aligned_alloc(64, scratch);
        if (!cpu->gemm_scratch)
            st = fail(ST_ENV, "out of memory while opening the cpu device");
    }
    if (st != ST_OK) {
        close_cpu(&cpu->base);
        return st;
    }
    /* Parallel regions are OpenMP's; a second set of threads below them would only compete. */
    openblas_set_num_threads(1);
    *out = &cpu->base;
    return ST_OK;
}

static void gemm(struct compute *c, const struct gemm_args *args) {
    cpu_gemm(kernel_of(c), c->dev->threads, ((struct cpu *)c)->gemm_scratch, args);
}

static double dot_peak(struct compute *c) {
    const struct dot_ops *dot = kernel_of(c)->dot;
    const double flops_per_thread = 6e9;
    if (!dot)
        return 0;
    const int64_t rounds = (int64_t)(flops_per_thread / dot->burn(1));
    double done = 0;
#pragma omp parallel for num_threads(c->dev->threads) schedule(static, 1) reduction(+ : done)
    for (int i = 0; i < c->dev->threads; i++)
        done += dot->burn(rounds);
    return done;
}

static void attn_forward(struct compute *c, const struct attn_args *args) {
    kernel_of(c)->forward(kernel_of(c), args, c->dev->threads);
}

static void attn_backward(struct compute *c, const struct attn_args *args) {
    kernel_of(c)->backward(kernel_of(c), args, c->dev->threads);
}

const struct compute_row cpu_compute = {
    .device = &cpu_device,
    .supports = supports,
    .workspace_bytes = workspace_bytes,
    .open = open_cpu,
    .close = close_cpu,
    .gemm = gemm,
    .dot_peak = dot_peak,
    .attn_forward = attn_forward,
    .attn_backward = attn_backward,
    .delta = cpu_delta,
    .merge = cpu_merge,
    .rope = cpu_rope,
};
