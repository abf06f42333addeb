/* An attention kernel of the CPU device: a row per element type and instruction set.
 *
 * FlashAttention (Dao et al., 2022 and 2023): blocks of logits in cache, online softmax, and a
 * backward pass that recomputes probabilities from LSE. Nothing of size q_tokens x k_tokens exists.
 */
#ifndef SPB_ATTN_COMPUTE_CPU_FLASH_KERNEL_H
#define SPB_ATTN_COMPUTE_CPU_FLASH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "attn/compute/compute.h"

struct vector_ops;
struct panel_ops;
struct dot_ops;

/* No kernel takes more: rows of a head are held on the stack. */
enum { HEAD_DIM_MAX = 256 };

struct attn_kernel {
    const char *name; /* "avx512-fp32": as the record has it */
    const char *help;
    const char *isa;              /* what it needs: "AVX-512" */
    const char *(*missing)(void); /* NULL: it can run here; or what is missing */

    enum dtype dtype;
    const struct vector_ops *vector; /* its loops between products by CBLAS in fp32; or */
    const struct panel_ops *panels;  /* its loops between */
    const struct dot_ops *dot;       /* products of bf16 pairs */

    bool (*supports)(int head_dim);
    size_t (*workspace_bytes)(int threads);
    void (*forward)(const struct attn_kernel *kernel, const struct attn_args *args, int threads);
    void (*backward)(const struct attn_kernel *kernel, const struct attn_args *args, int threads);
};

#endif
