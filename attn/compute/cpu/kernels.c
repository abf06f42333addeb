#include "attn/compute/cpu/kernels.h"

#include <stdio.h>
#include <string.h>

#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/flash/flash_bf16.h"
#include "attn/compute/cpu/inner/panel.h"
#include "attn/compute/cpu/inner/vector.h"
#ifdef SPB_ATTN_X86
#include "attn/compute/cpu/isa.h"
#endif

static const char *nothing(void) {
    return NULL;
}

/* fp32 loops; for bf16, on tiles brought to fp32. */
#define FP32(ops)                                                                                  \
    .dtype = DTYPE_FP32, .vector = &(ops), .supports = flash_supports,                             \
    .workspace_bytes = flash_workspace_bytes, .forward = flash_forward, .backward = flash_backward
#define WIDE(ops)                                                                                  \
    .dtype = DTYPE_BF16, .vector = &(ops), .supports = flash_supports,                             \
    .workspace_bytes = flash_wide_workspace_bytes, .forward = flash_forward,                       \
    .backward = flash_backward
/* bf16 loops on an instruction that multiplies pairs. */
#define PAIRS(ops, dot_ops)                                                                        \
    .dtype = DTYPE_BF16, .panels = &(ops), .dot = &(dot_ops), .supports = flash_supports,          \
    .workspace_bytes = flash_bf16_workspace_bytes, .forward = flash_bf16_forward,                  \
    .backward = flash_bf16_backward

const struct attn_kernel attn_kernels[] = {
#ifdef SPB_ATTN_X86
    {"avx512-fp32", "x86 with AVX-512 F, BW, DQ and VL", "AVX-512", isa_missing_avx512,
     FP32(vector_avx512)},
    {"avx2-fp32", "x86 with AVX2 and FMA", "AVX2", isa_missing_avx2, FP32(vector_avx2)},
#endif
    {"portable-fp32", "any CPU; vector loops for the compiler's default instruction set", "any",
     nothing, FP32(vector_portable)},
#ifdef SPB_ATTN_BF16
    {"amx-bf16", "x86 with AMX: TDPBF16PS; tested on an emulation of AMX only", "AMX-BF16",
     isa_missing_amx, PAIRS(panel_avx512, dot_amx)},
    {"avx512-bf16", "x86 with AVX-512 and AVX512_BF16: VDPBF16PS", "AVX512_BF16",
     isa_missing_avx512_bf16, PAIRS(panel_avx512, dot_avx512)},
#endif
#ifdef SPB_ATTN_X86
    {"avx2-bf16", "x86 with AVX2 and FMA; tiles are brought to fp32 and computed as by avx2-fp32",
     "AVX2", isa_missing_avx2, WIDE(vector_avx2)},
#endif
    {"portable-bf16", "any CPU; tiles are brought to fp32 and computed as by portable-fp32", "any",
     nothing, WIDE(vector_portable)},
    {NULL},
};

static bool fits(const struct attn_kernel *kernel, enum dtype dtype, int head_dim) {
    return kernel->dtype == dtype && kernel->supports(head_dim);
}

static const struct attn_kernel *find_named(const char *name, enum dtype dtype, int head_dim,
                                            char *why, size_t why_size) {
    const struct attn_kernel *kernel = attn_kernels;
    while (kernel->name && strcmp(name, kernel->name) != 0)
        kernel++;
    if (!kernel->name)
        snprintf(why, why_size, "unknown kernel '%s'; --list shows them", name);
    else if (!fits(kernel, dtype, head_dim))
        snprintf(why, why_size, "kernel %s does not support dtype %s with head_dim %d", name,
                 dtype_name(dtype), head_dim);
    else if (kernel->missing())
        snprintf(why, why_size, "kernel %s needs %s: %s", name, kernel->isa, kernel->missing());
    else
        return kernel;
    return NULL;
}

const struct attn_kernel *attn_kernel_find(const char *name, enum dtype dtype, int head_dim,
                                           char *why, size_t why_size) {
    if (name && strcmp(name, "auto") != 0)
        return find_named(name, dtype, head_dim, why, why_size);
    for (const struct attn_kernel *kernel = attn_kernels; kernel->name; kernel++)
        if (fits(kernel, dtype, head_dim) && !kernel->missing())
            return kernel;
    snprintf(why, why_size,
             "the cpu kernels take a head_dim that is a multiple of 8 up to %d, not %d",
             HEAD_DIM_MAX, head_dim);
    return NULL;
}
