#include "attn/compute/cpu/kernel.h"

#include <stdio.h>
#include <string.h>

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
    for (int i = 0; attn_kernels[i]; i++)
        if (fits(attn_kernels[i], dtype, head_dim) && !attn_kernels[i]->missing())
            return attn_kernels[i];
    snprintf(why, why_size,
             "the cpu kernels take a head_dim that is a multiple of 8 up to %d, not %d",
             HEAD_DIM_MAX, head_dim);
    return NULL;
}
