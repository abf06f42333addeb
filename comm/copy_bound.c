#include "comm/copy_bound.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/trace.h"

#ifdef __SSE2__
#include <emmintrin.h>

/* Non-temporal stores leave out the read of the destination's lines (Intel optimization
 * manual, 9.6). */
static void copy_streaming(char *restrict to, const char *restrict from, size_t bytes) {
    const size_t head = (size_t)(-(uintptr_t)to & 15u);
    if (bytes < 64 + head) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    size_t i = head;
    for (; i + 64 <= bytes; i += 64) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 16));
        const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 32));
        const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 48));
        _mm_stream_si128((__m128i *)(void *)(to + i), a);
        _mm_stream_si128((__m128i *)(void *)(to + i + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + i + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + i + 48), d);
    }
    memcpy(to + i, from + i, bytes - i);
    _mm_sfence();
}
#else
static void copy_streaming(char *restrict to, const char *restrict from, size_t bytes) {
    memcpy(to, from, bytes);
}
#endif

static void copy_plain(char *restrict to, const char *restrict from, size_t bytes) {
    memcpy(to, from, bytes);
}

typedef void copy_fn(char *restrict to, const char *restrict from, size_t bytes);

static double timed_copy(const struct group *group, copy_fn *copy, char *to, const char *from,
                         size_t bytes, int pieces) {
    group_barrier(group);
    const double start = clock_s();
    for (int p = 0; p < pieces; p++) {
        const size_t begin = bytes / (size_t)pieces * (size_t)p;
        const size_t end = p == pieces - 1 ? bytes : bytes / (size_t)pieces * (size_t)(p + 1);
        copy(to + begin, from + begin, end - begin);
    }
    double t = clock_s() - start;
    group_max(group, &t, 1);
    return t;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double copy_bound(const struct group *group, size_t bytes, int pieces, double budget_s) {
    enum { REPEATS = 21, LEAST = 5 };
    static copy_fn *const ways[] = {copy_plain, copy_streaming};
    if (bytes == 0 || pieces < 1)
        return 0;
    char *from = malloc(bytes), *to = malloc(bytes);
    double missing = !from || !to;
    group_max(group, &missing, 1);
    double best = 0;
    if (missing == 0) {
        memset(from, 1, bytes);
        memset(to, 2, bytes);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            double t[REPEATS];
            int n = 0;
            double spent = timed_copy(group, ways[w], to, from, bytes, pieces); /* warm-up */
            /* All ranks have the same times, so they stop together. */
            while (n < REPEATS && (n < LEAST || spent < budget_s / 2)) {
                t[n] = timed_copy(group, ways[w], to, from, bytes, pieces);
                spent += t[n++];
            }
            qsort(t, (size_t)n, sizeof t[0], ascending);
            const double median = n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
            if (best == 0 || median < best)
                best = median;
        }
    }
    free(from);
    free(to);
    return best;
}
