#include "comm/op/reduce.h"

#include <stdint.h>
#include <string.h>

static void reduce_fp32(float *restrict out, const float *slots, int n_slots, size_t n) {
    if (out != slots)
        memcpy(out, slots, n * sizeof *out);
    for (int s = 1; s < n_slots; s++) {
        const float *restrict x = slots + (size_t)s * n;
        for (size_t i = 0; i < n; i++)
            out[i] += x[i];
    }
}

static float widen(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint16_t round_to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static void reduce_bf16(uint16_t *out, const uint16_t *slots, int n_slots, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float sum = widen(slots[i]);
        for (int s = 1; s < n_slots; s++)
            sum += widen(slots[(size_t)s * n + i]);
        out[i] = round_to_bf16(sum);
    }
}

void reduce_slots(void *out, const void *slots, int n_slots, size_t n, size_t elem_bytes) {
    if (elem_bytes == sizeof(float))
        reduce_fp32(out, slots, n_slots, n);
    else
        reduce_bf16(out, slots, n_slots, n);
}
