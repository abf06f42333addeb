/* The matrix product that attention is held against: SGEMM of 2048^3, measured in the same run. */
#ifndef SPB_BENCH_GEMM_RATE_H
#define SPB_BENCH_GEMM_RATE_H

#include "attn/device.h"

struct gemm_rate {
    struct device *dev;
    struct mem_ledger ledger; /* of its own: the product is no part of what is measured */
    float *a, *b, *c;
};

#define GEMM_RATE_FLOPS (2.0 * 2048 * 2048 * 2048)

/* ST_ENV without memory. Closed by gemm_rate_close(), also after a failure. */
enum status gemm_rate_open(struct gemm_rate *g, struct device *dev);
void gemm_rate_close(struct gemm_rate *g);

/* One product; arg is the struct gemm_rate. */
void gemm_rate_run(void *arg);

#endif
