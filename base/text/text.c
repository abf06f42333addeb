#include "base/text/text.h"

#include <stdbool.h>

void text_copy(char *dst, size_t n, const char *src) {
    size_t i = 0;
    for (; src && src[i] && i + 1 < n; i++) {
        const bool printable = src[i] >= ' ' && src[i] <= '~';
        dst[i] = '?';
        if (printable)
            dst[i] = src[i];
    }
    dst[i] = '\0';
}

uint64_t text_hash(uint64_t hash, const char *text) {
    do {
        hash ^= (unsigned char)*text;
        hash *= UINT64_C(0x100000001b3);
    } while (*text++);
    return hash;
}
