#include "attn/kernel.h"

#include <stdio.h>
#include <string.h>

#include "attn/flash.h"
#include "attn/vector.h"

static bool always(void) {
    return true;
}

static const struct attn_kernel portable_fp32 = {
    .name = "portable-fp32",
    .help = "any CPU; vector loops for the compiler's default instruction set",
    .dtype = DTYPE_FP32,
    .isa = "portable",
    .vector = &vector_portable,
    .available = always,
    .supports = flash_supports,
    .workspace_bytes = flash_workspace_bytes,
    .forward = flash_forward,
    .backward = flash_backward,
};

#ifdef SPB_ATTN_X86
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && has_avx2();
}

static const struct attn_kernel avx2_fp32 = {
    .name = "avx2-fp32",
    .help = "x86 with AVX2 and FMA",
    .dtype = DTYPE_FP32,
    .isa = "avx2",
    .vector = &vector_avx2,
    .available = has_avx2,
    .supports = flash_supports,
    .workspace_bytes = flash_workspace_bytes,
    .forward = flash_forward,
    .backward = flash_backward,
};

static const struct attn_kernel avx512_fp32 = {
    .name = "avx512-fp32",
    .help = "x86 with AVX-512 F, BW, DQ and VL",
    .dtype = DTYPE_FP32,
    .isa = "avx512",
    .vector = &vector_avx512,
    .available = has_avx512,
    .supports = flash_supports,
    .workspace_bytes = flash_workspace_bytes,
    .forward = flash_forward,
    .backward = flash_backward,
};
#endif

const struct attn_kernel *const attn_kernels[] = {
#ifdef SPB_ATTN_X86
    &avx512_fp32,
    &avx2_fp32,
#endif
    &portable_fp32,
    NULL,
};

static bool fits(const struct attn_kernel *kernel, enum dtype dtype, int head_dim) {
    return kernel->dtype == dtype && kernel->supports(head_dim);
}

static const struct attn_kernel *named(const char *name) {
    for (int i = 0; attn_kernels[i]; i++)
        if (strcmp(name, attn_kernels[i]->name) == 0)
            return attn_kernels[i];
    return NULL;
}

static const struct attn_kernel *find_named(const char *name, enum dtype dtype, int head_dim,
                                            char *why, size_t why_size) {
    const struct attn_kernel *kernel = named(name);
    if (!kernel)
        snprintf(why, why_size, "unknown kernel '%s'; --list shows them", name);
    else if (!fits(kernel, dtype, head_dim))
        snprintf(why, why_size, "kernel %s does not support dtype %s with head_dim %d", name,
                 dtype_name(dtype), head_dim);
    else if (!kernel->available())
        snprintf(why, why_size, "kernel %s needs a CPU with %s", name, kernel->isa);
    else
        return kernel;
    return NULL;
}

const struct attn_kernel *attn_kernel_find(const char *name, enum dtype dtype, int head_dim,
                                           char *why, size_t why_size) {
    if (name && strcmp(name, "auto") != 0)
        return find_named(name, dtype, head_dim, why, why_size);
    for (int i = 0; attn_kernels[i]; i++)
        if (fits(attn_kernels[i], dtype, head_dim) && attn_kernels[i]->available())
            return attn_kernels[i];
    if (dtype != DTYPE_FP32)
        snprintf(why, why_size,
                 "the cpu device has no attention kernel for %s yet; use --dtype fp32",
                 dtype_name(dtype));
    else
        snprintf(why, why_size,
                 "the cpu kernels take a head_dim that is a multiple of 8 up to %d, not %d",
                 HEAD_DIM_MAX, head_dim);
    return NULL;
}
