#include "bench/measure/gemm_rate.h"

#include "base/random.h"

enum { SIDE = 2048 };

static const size_t MATRIX_BYTES = (size_t)SIDE * SIDE * sizeof(float);

static float *matrix(struct gemm_rate *g, uint32_t seed) {
    struct device *dev = g->compute->dev;
    float *m = dev->row->alloc(dev, &g->ledger, MEM_WORKSPACE, MATRIX_BYTES);
    float row[SIDE];
    for (uint32_t r = 0; m && r < SIDE; r++) {
        random_row(row, SIDE, seed, TENSOR_FILLER, 0, r, 0, 0, 1.0f);
        dev->row->upload(dev, m + (size_t)r * SIDE, row, sizeof row);
    }
    return m;
}

enum status gemm_rate_open(struct gemm_rate *g, struct compute *compute) {
    *g = (struct gemm_rate){.compute = compute};
    if (compute->row->dot_peak)
        g->flops = compute->row->dot_peak(compute);
    if (g->flops > 0)
        return ST_OK;
    g->flops = 2.0 * SIDE * SIDE * SIDE;
    g->a = matrix(g, 1);
    g->b = matrix(g, 2);
    g->c = matrix(g, 3);
    return g->a && g->b && g->c ? ST_OK : ST_ENV;
}

void gemm_rate_close(struct gemm_rate *g) {
    if (!g->compute)
        return;
    struct device *dev = g->compute->dev;
    dev->row->free(dev, &g->ledger, g->c);
    dev->row->free(dev, &g->ledger, g->b);
    dev->row->free(dev, &g->ledger, g->a);
}

void gemm_rate_run(void *arg) {
    struct gemm_rate *g = arg;
    if (!g->a) {
        g->compute->row->dot_peak(g->compute);
        return;
    }
    const struct gemm_args args = {.m = SIDE,
                                   .n = SIDE,
                                   .k = SIDE,
                                   .a = g->a,
                                   .lda = SIDE,
                                   .b = g->b,
                                   .ldb = SIDE,
                                   .c = g->c,
                                   .ldc = SIDE};
    g->compute->row->gemm(g->compute, &args);
}
