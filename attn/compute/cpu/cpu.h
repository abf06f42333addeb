/* What computes on the CPU: OpenMP threads, OpenBLAS, kernels. */
#ifndef SPB_ATTN_COMPUTE_CPU_CPU_H
#define SPB_ATTN_COMPUTE_CPU_CPU_H

#include "attn/compute/cpu/flash/kernel.h"

extern const struct compute_row cpu_compute;

/* The table's gemm, in the kernel's dtype; scratch of cpu_gemm_scratch_bytes(), aligned to 64. */
size_t cpu_gemm_scratch_bytes(const struct attn_kernel *kernel, int threads);
void cpu_gemm(const struct attn_kernel *kernel, int threads, void *scratch,
              const struct gemm_args *args);

/* The row-wise operations of the table, see there. */
void cpu_delta(struct compute *c, struct rows_shape shape, const void *o, const void *dout,
               float *delta);
void cpu_merge(struct compute *c, struct rows_shape shape, float *o, float *lse, const void *o_part,
               const float *lse_part);
void cpu_rope(struct compute *c, struct rows_shape shape, void *x, enum dtype dtype,
              const int32_t *pos, double theta, bool inverse);

#endif
