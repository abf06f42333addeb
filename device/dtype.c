#include "device/dtype.h"

#include <string.h>

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

enum status dtype_parse(const char *name, enum dtype *out) {
    for (int d = 0; d < DTYPES; d++) {
        if (strcmp(name, rows[d].name) != 0)
            continue;
        *out = (enum dtype)d;
        return ST_OK;
    }
    return fail(ST_USAGE, "unknown dtype '%s'; there are fp32 and bf16", name);
}
