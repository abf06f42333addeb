#include "comm/copy/rows.h"

#include <stdint.h>
#include <string.h>

void copy_rows_plain(const struct rectangle *r, size_t n, size_t first, size_t rows) {
    for (size_t row = first; row < first + rows; row++)
        for (size_t i = 0; i < n; i++)
            memcpy(r[i].to + row * r[i].to_stride, r[i].from + row * r[i].from_stride,
                   r[i].row_bytes);
}

#ifdef __x86_64__
#include <immintrin.h>

enum { LINE = 64 };

/* A row's part before the first whole line of the destination is copied plainly; returns its
 * length, and the whole lines that follow in *lines. */
static size_t copy_head(char *restrict to, const char *restrict from, size_t bytes, size_t *lines) {
    size_t head = (size_t)(-(uintptr_t)to & (LINE - 1));
    if (head > bytes)
        head = bytes;
    if (head > 0)
        memcpy(to, from, head);
    *lines = (bytes - head) / LINE;
    return head;
}

/* How far ahead of the copy its source is fetched. Hardware prefetchers lose the trail at the end
 * of each short row; the distance covers a memory access at the speed of the copy. Where n
 * rectangles leave nothing out between their rows, the source is one run. */
static size_t fetch_ahead(const struct rectangle *r, size_t n) {
    enum { AHEAD = 8192, LONG_ROW = 4 * AHEAD };
    size_t row_bytes = 0;
    for (size_t i = 0; i < n; i++)
        row_bytes += r[i].row_bytes;
    if (row_bytes == 0 || row_bytes > LONG_ROW || row_bytes >= r->from_stride)
        return AHEAD;
    return (AHEAD + row_bytes - 1) / row_bytes * r->from_stride;
}

/* The row loop that all widths share; STREAM_LINE copies a line. A prefetch never faults, so that
 * it may run past the last row. */
#define STREAM_ROWS(STREAM_LINE)                                                                   \
    const size_t ahead = fetch_ahead(r, n);                                                        \
    for (size_t row = first; row < first + rows; row++)                                            \
        for (size_t k = 0; k < n; k++) {                                                           \
            char *restrict to = r[k].to + row * r[k].to_stride;                                    \
            const char *restrict from = r[k].from + row * r[k].from_stride;                        \
            size_t lines = 0;                                                                      \
            size_t at = copy_head(to, from, r[k].row_bytes, &lines);                               \
            for (size_t i = 0; i < lines; i++, at += LINE) {                                       \
                _mm_prefetch((const void *)((uintptr_t)from + at + ahead), _MM_HINT_T0);           \
                STREAM_LINE(to + at, from + at);                                                   \
            }                                                                                      \
            if (at < r[k].row_bytes)                                                               \
                memcpy(to + at, from + at, r[k].row_bytes - at);                                   \
        }                                                                                          \
    _mm_sfence()

static inline __attribute__((always_inline, target("avx512f"))) void line_512(void *to,
                                                                              const void *from) {
    _mm512_stream_si512(to, _mm512_loadu_si512(from));
}

static inline __attribute__((always_inline, target("avx"))) void line_256(void *to,
                                                                          const void *from) {
    const __m256i *const f = from;
    __m256i *const t = to;
    const __m256i a = _mm256_loadu_si256(f), b = _mm256_loadu_si256(f + 1);
    _mm256_stream_si256(t, a);
    _mm256_stream_si256(t + 1, b);
}

static inline __attribute__((always_inline)) void line_128(void *to, const void *from) {
    const __m128i *const f = from;
    __m128i *const t = to;
    const __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1);
    const __m128i c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
    _mm_stream_si128(t, a);
    _mm_stream_si128(t + 1, b);
    _mm_stream_si128(t + 2, c);
    _mm_stream_si128(t + 3, d);
}

__attribute__((target("avx512f"))) static void stream_512(const struct rectangle *r, size_t n,
                                                          size_t first, size_t rows) {
    STREAM_ROWS(line_512);
}

__attribute__((target("avx"))) static void stream_256(const struct rectangle *r, size_t n,
                                                      size_t first, size_t rows) {
    STREAM_ROWS(line_256);
}

static void stream_128(const struct rectangle *r, size_t n, size_t first, size_t rows) {
    STREAM_ROWS(line_128);
}

copy_rows_fn *copy_rows_streaming(void) {
    if (__builtin_cpu_supports("avx512f"))
        return stream_512;
    return __builtin_cpu_supports("avx") ? stream_256 : stream_128;
}
#else
copy_rows_fn *copy_rows_streaming(void) {
    return copy_rows_plain;
}
#endif
