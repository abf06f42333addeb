/* The FlashAttention loops on packed bf16 operands, shared by the instructions that multiply pairs.
 *
 * Products sum in fp32. Probabilities (before PV and P^T dO) and dS (before dS K and dS^T Q) are
 * rounded to bf16, to nearest even; the softmax's sums, and with them LSE, are of what is not
 * rounded; O is rounded once, when it is stored. */
#ifndef SPB_ATTN_COMPUTE_CPU_FLASH_FLASH_BF16_H
#define SPB_ATTN_COMPUTE_CPU_FLASH_FLASH_BF16_H

#include "attn/compute/cpu/flash/kernel.h"
#include "attn/compute/cpu/inner/panel.h"

size_t flash_bf16_workspace_bytes(int threads);
void flash_bf16_forward(const struct attn_kernel *kernel, const struct attn_args *args,
                        int threads);
void flash_bf16_backward(const struct attn_kernel *kernel, const struct attn_args *args,
                         int threads);

/* Bytes of a thread's workspace in either pass. */
size_t flash_bf16_forward_bytes(void);
size_t flash_bf16_backward_bytes(void);

#endif
