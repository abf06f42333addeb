/* The table of attention kernels. */
#ifndef SPB_ATTN_COMPUTE_CPU_KERNELS_H
#define SPB_ATTN_COMPUTE_CPU_KERNELS_H

#include "attn/compute/cpu/flash/kernel.h"

/* Best first of each dtype; ends with a row without a name. */
extern const struct attn_kernel attn_kernels[];

/* The first available row for dtype and head_dim, or the row called name (NULL or "auto": any).
 * NULL, and why: no such kernel, not for this dtype or head_dim, or not on this CPU. */
const struct attn_kernel *attn_kernel_find(const char *name, enum dtype dtype, int head_dim,
                                           char *why, size_t why_size);

#endif
