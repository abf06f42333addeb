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

static enum status select_named(const char *name, enum dtype dtype, int head_dim,
                                const struct attn_kernel **out) {
    for (int i = 0; attn_kernels[i]; i++) {
        const struct attn_kernel *kernel = attn_kernels[i];
        if (strcmp(name, kernel->name) != 0)
            continue;
        if (!fits(kernel, dtype, head_dim))
            return fail(ST_USAGE, "kernel %s does not support dtype %s with head_dim %d", name,
                        dtype_name(dtype), head_dim);
        if (!kernel->available())
            return fail(ST_ENV, "kernel %s needs a CPU with %s", name, kernel->isa);
        *out = kernel;
        return ST_OK;
    }
    return fail(ST_USAGE, "unknown kernel '%s'; --list shows them", name);
}

enum status attn_kernel_select(const char *name, enum dtype dtype, int head_dim,
                               const struct attn_kernel **out) {
    if (name && strcmp(name, "auto") != 0)
        return select_named(name, dtype, head_dim, out);
    for (int i = 0; attn_kernels[i]; i++) {
        if (!fits(attn_kernels[i], dtype, head_dim) || !attn_kernels[i]->available())
            continue;
        *out = attn_kernels[i];
        return ST_OK;
    }
    return fail(
        ST_USAGE,
        "no CPU kernel supports dtype %s with head_dim %d; fp32 kernels take multiples of 8 "
        "up to %d",
        dtype_name(dtype), head_dim, HEAD_DIM_MAX);
}
