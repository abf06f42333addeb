/* Elements of any type, computed on as fp32. */
#ifndef SPB_DEVICE_CPU_ELEMENTS_H
#define SPB_DEVICE_CPU_ELEMENTS_H

#include <string.h>

#include "device/bf16.h"
#include "device/dtype.h"

/* Elements [at, at + n) of x as fp32: x itself or a copy in buffer. */
static inline const float *elements_load(const void *x, enum dtype dtype, size_t at, int n,
                                         float *buffer) {
    if (dtype == DTYPE_FP32)
        return (const float *)x + at;
    bf16_widen((const uint16_t *)x + at, (size_t)n, buffer);
    return buffer;
}

static inline void elements_store(void *x, enum dtype dtype, size_t at, int n, const float *from) {
    if (dtype == DTYPE_FP32)
        memcpy((float *)x + at, from, (size_t)n * sizeof *from);
    else
        bf16_narrow(from, (size_t)n, (uint16_t *)x + at);
}

#endif
