/* The table of attention kernels. */
#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/flash/flash_bf16.h"
#include "attn/compute/cpu/inner/panel.h"
#include "attn/compute/cpu/inner/vector.h"
#include "attn/compute/cpu/kernel.h"
#ifdef SPB_ATTN_X86
#include "attn/compute/cpu/isa.h"
#endif

static const char *nothing(void) {
    return NULL;
}

/* fp32 loops; for bf16, on tiles brought to fp32. */
#define FP32_ROW(isa_name, ops, missing_fn)                                                        \
    .dtype = DTYPE_FP32, .isa = isa_name, .vector = &(ops), .missing = missing_fn,                 \
    .supports = flash_supports, .workspace_bytes = flash_workspace_bytes,                          \
    .forward = flash_forward, .backward = flash_backward
#define WIDE_ROW(isa_name, ops, missing_fn)                                                        \
    .dtype = DTYPE_BF16, .isa = isa_name, .vector = &(ops), .missing = missing_fn,                 \
    .supports = flash_supports, .workspace_bytes = flash_wide_workspace_bytes,                     \
    .forward = flash_forward, .backward = flash_backward
/* bf16 loops on an instruction that multiplies pairs. */
#define BF16_ROW(isa_name, ops, dot_ops, missing_fn)                                               \
    .dtype = DTYPE_BF16, .isa = isa_name, .panels = &(ops), .dot = &(dot_ops),                     \
    .missing = missing_fn, .supports = flash_bf16_supports,                                        \
    .workspace_bytes = flash_bf16_workspace_bytes, .forward = flash_bf16_forward,                  \
    .backward = flash_bf16_backward

static const struct attn_kernel portable_fp32 = {
    .name = "portable-fp32",
    .help = "any CPU; vector loops for the compiler's default instruction set",
    FP32_ROW("any", vector_portable, nothing),
};

static const struct attn_kernel portable_bf16 = {
    .name = "portable-bf16",
    .help = "any CPU; tiles are brought to fp32 and computed as by portable-fp32",
    WIDE_ROW("any", vector_portable, nothing),
};

#ifdef SPB_ATTN_X86
static const struct attn_kernel avx2_fp32 = {
    .name = "avx2-fp32",
    .help = "x86 with AVX2 and FMA",
    FP32_ROW("AVX2", vector_avx2, isa_missing_avx2),
};

static const struct attn_kernel avx2_bf16 = {
    .name = "avx2-bf16",
    .help = "x86 with AVX2 and FMA; tiles are brought to fp32 and computed as by avx2-fp32",
    WIDE_ROW("AVX2", vector_avx2, isa_missing_avx2),
};

static const struct attn_kernel avx512_fp32 = {
    .name = "avx512-fp32",
    .help = "x86 with AVX-512 F, BW, DQ and VL",
    FP32_ROW("AVX-512", vector_avx512, isa_missing_avx512),
};
#endif

#ifdef SPB_ATTN_BF16
static const struct attn_kernel avx512_bf16 = {
    .name = "avx512-bf16",
    .help = "x86 with AVX-512 and AVX512_BF16: VDPBF16PS",
    BF16_ROW("AVX512_BF16", panel_avx512, dot_avx512, isa_missing_avx512_bf16),
};

static const struct attn_kernel amx_bf16 = {
    .name = "amx-bf16",
    .help = "x86 with AMX: TDPBF16PS; tested on an emulation of AMX only",
    BF16_ROW("AMX-BF16", panel_avx512, dot_amx, isa_missing_amx),
};
#endif

const struct attn_kernel *const attn_kernels[] = {
#ifdef SPB_ATTN_X86
    &avx512_fp32,   &avx2_fp32,
#endif
    &portable_fp32,
#ifdef SPB_ATTN_BF16
    &amx_bf16,      &avx512_bf16,
#endif
#ifdef SPB_ATTN_X86
    &avx2_bf16,
#endif
    &portable_bf16, NULL,
};
