#include "device/dtype.h"

static const struct {
    const char *name;
    size_t bytes;
} rows[DTYPES] = {
    [DTYPE_FP32] = {"fp32", 4},
    [DTYPE_BF16] = {"bf16", 2},
};

const char *dtype_name(enum dtype dtype) {
    return rows[dtype].name;
}

size_t dtype_bytes(enum dtype dtype) {
    return rows[dtype].bytes;
}
