/* What attention is held against, measured in the same run: an SGEMM of 2048^3, or with dtype bf16
 * the peak rate of the instruction that multiplies it, where the device has one. */
#ifndef SPB_BENCH_MEASURE_GEMM_RATE_H
#define SPB_BENCH_MEASURE_GEMM_RATE_H

#include "attn/compute/compute.h"

struct gemm_rate {
    struct compute *compute;
    struct mem_ledger ledger; /* of its own: the product is no part of what is measured */
    float *a, *b, *c;         /* NULL: the instruction's peak is the bound */
    double flops;             /* of one gemm_rate_run() */
};

/* ST_ENV without memory. Closed by gemm_rate_close(), also after a failure. */
enum status gemm_rate_open(struct gemm_rate *g, struct compute *compute);
void gemm_rate_close(struct gemm_rate *g);

/* One product, or as much of the instruction; arg is the struct gemm_rate. */
void gemm_rate_run(void *arg);

#endif
