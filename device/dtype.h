/* Element types of the tensors that attention computes on. */
#ifndef SPB_DEVICE_DTYPE_H
#define SPB_DEVICE_DTYPE_H

#include <stddef.h>

enum dtype { DTYPE_FP32, DTYPE_BF16, DTYPES };

/* "fp32", "bf16", as on the command line and in records. */
const char *dtype_name(enum dtype dtype);

/* Bytes per element. */
size_t dtype_bytes(enum dtype dtype);

#endif
