#include "comm/op/data/reduce.h"

#include <string.h>

#include "device/bf16.h"

static void reduce_fp32(float *restrict out, const float *slots, int n_slots, size_t n) {
    if (out != slots)
        memcpy(out, slots, n * sizeof *out);
    for (int s = 1; s < n_slots; s++) {
        const float *restrict x = slots + (size_t)s * n;
        for (size_t i = 0; i < n; i++)
            out[i] += x[i];
    }
}

static void reduce_bf16(uint16_t *out, const uint16_t *slots, int n_slots, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float sum = bf16_to_float(slots[i]);
        for (int s = 1; s < n_slots; s++)
            sum += bf16_to_float(slots[(size_t)s * n + i]);
        out[i] = float_to_bf16(sum);
    }
}

void reduce_slots(void *out, const void *slots, int n_slots, size_t n, size_t elem_bytes) {
    if (elem_bytes == sizeof(float))
        reduce_fp32(out, slots, n_slots, n);
    else
        reduce_bf16(out, slots, n_slots, n);
}
