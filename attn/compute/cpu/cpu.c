#include "attn/compute/cpu/cpu.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "attn/compute/cpu/inner/panel.h"
#include "attn/compute/cpu/kernels.h"

struct cpu {
    struct device base;
    const struct attn_kernel *kernel;
    void *gemm_scratch; /* like what a BLAS keeps, in no ledger */
};

static const struct attn_kernel *kernel_of(const struct device *dev) {
    return ((const struct cpu *)dev)->kernel;
}

static bool available(char *why, size_t why_size) {
    (void)why;
    (void)why_size;
    return true;
}

static const struct attn_kernel *kernel_for(const struct device_config *config, char *why,
                                            size_t why_size) {
    return attn_kernel_find(config->kernel, config->dtype, config->head_dim, why, why_size);
}

static bool supports(const struct device_config *config, char *why, size_t why_size) {
    return kernel_for(config, why, why_size) != NULL;
}

static enum status open_cpu(const struct device_config *config, struct device **out) {
    char why[256];
    const struct attn_kernel *kernel = kernel_for(config, why, sizeof why);
    if (!kernel)
        return fail(ST_USAGE, "%s", why);
    struct cpu *cpu = malloc(sizeof *cpu);
    if (!cpu)
        return fail(ST_ENV, "out of memory while opening the cpu device");
    *cpu = (struct cpu){{&cpu_device, kernel->name, config->dtype, config->threads}, kernel, NULL};
    const size_t scratch = cpu_gemm_scratch_bytes(kernel, config->threads);
    if (scratch > 0)
        cpu->gemm_scratch = aligned_alloc(64, scratch);
    if (scratch > 0 && !cpu->gemm_scratch) {
        free(cpu);
        return fail(ST_ENV, "out of memory while opening the cpu device");
    }
    /* Parallel regions are OpenMP's; a second set of threads below them would only compete. */
    openblas_set_num_threads(1);
    *out = &cpu->base;
    return ST_OK;
}

static void close_cpu(struct device *dev) {
    if (dev)
        free(((struct cpu *)dev)->gemm_scratch);
    free(dev);
}

static void *alloc_host(struct device *dev, struct mem_ledger *ledger, enum mem_category category,
                        size_t bytes) {
    (void)dev;
    return mem_alloc(ledger, category, bytes);
}

static void free_host(struct device *dev, struct mem_ledger *ledger, void *ptr) {
    (void)dev;
    mem_free(ledger, ptr);
}

static void copy(struct device *dev, void *dst, const void *src, size_t bytes) {
    (void)dev;
    memcpy(dst, src, bytes);
}

static void zero(struct device *dev, void *dst, size_t bytes) {
    (void)dev;
    memset(dst, 0, bytes);
}

static void gemm(struct device *dev, const struct gemm_args *args) {
    cpu_gemm(kernel_of(dev), dev->threads, ((struct cpu *)dev)->gemm_scratch, args);
}

static double dot_peak(struct device *dev) {
    const struct dot_ops *dot = kernel_of(dev)->dot;
    const double flops_per_thread = 6e9;
    if (!dot)
        return 0;
    const int64_t rounds = (int64_t)(flops_per_thread / dot->burn(1));
    double done = 0;
#pragma omp parallel for num_threads(dev->threads) schedule(static, 1) reduction(+ : done)
    for (int i = 0; i < dev->threads; i++)
        done += dot->burn(rounds);
    return done;
}

/* Tiles are of one size, whatever the piece. */
static size_t workspace_bytes(const struct device_config *config, const struct attn_piece *piece) {
    char why[256];
    const struct attn_kernel *kernel = kernel_for(config, why, sizeof why);
    (void)piece;
    return kernel ? kernel->workspace_bytes(config->threads) : 0;
}

static void attn_forward(struct device *dev, const struct attn_args *args) {
    kernel_of(dev)->forward(kernel_of(dev), args, dev->threads);
}

static void attn_backward(struct device *dev, const struct attn_args *args) {
    kernel_of(dev)->backward(kernel_of(dev), args, dev->threads);
}

static enum status sync_cpu(struct device *dev) {
    (void)dev;
    return ST_OK;
}

const struct device_row cpu_device = {
    .name = "cpu",
    .help = "host cores: OpenMP threads, OpenBLAS products",
    .available = available,
    .supports = supports,
    .open = open_cpu,
    .close = close_cpu,
    .alloc = alloc_host,
    .free = free_host,
    .upload = copy,
    .download = copy,
    .copy = copy,
    .zero = zero,
    .gemm = gemm,
    .dot_peak = dot_peak,
    .workspace_bytes = workspace_bytes,
    .attn_forward = attn_forward,
    .attn_backward = attn_backward,
    .delta = cpu_delta,
    .merge = cpu_merge,
    .rope = cpu_rope,
    .add = cpu_add,
    .convert = cpu_convert,
    .sync = sync_cpu,
};
