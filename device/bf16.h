/* bf16: the upper half of an fp32 number. Everything that converts does it by these. */
#ifndef SPB_DEVICE_BF16_H
#define SPB_DEVICE_BF16_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float bf16_to_float(uint16_t h) {
    const uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* To nearest, ties to even; a NaN stays one. */
static inline uint16_t float_to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rows of n. */
static inline void bf16_widen(const uint16_t *x, size_t n, float *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] = bf16_to_float(x[i]);
}

static inline void bf16_narrow(const float *x, size_t n, uint16_t *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] = float_to_bf16(x[i]);
}

/* To bf16, still in 32 bits: a form that compilers vectorise. */
static inline float bf16_round(float x) {
    uint32_t bits;
    float rounded;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&rounded, &bits, sizeof rounded);
    return x == x ? rounded : x;
}

#endif
