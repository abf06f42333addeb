#include "comm/op/data/pattern.h"

#include <string.h>

#include "device/bf16.h"

/* Flat buffers are cut into rows of this many elements, one generator row each. */
enum { ROW = 1024 };

static void narrow(const float *x, size_t n, size_t elem_bytes, void *out) {
    if (elem_bytes == sizeof(float))
        memcpy(out, x, n * sizeof *x);
    else
        bf16_narrow(x, n, out);
}

uint64_t rows_differ(const void *a, const void *b, size_t n, size_t elem_bytes) {
    if (memcmp(a, b, n * elem_bytes) == 0)
        return 0;
    const char *x = a, *y = b;
    uint64_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += memcmp(x + i * elem_bytes, y + i * elem_bytes, elem_bytes) != 0;
    return wrong;
}

/* The next piece of a flat buffer that lies in one row; returns its length. */
static size_t flat_piece(const struct pattern *p, int source, size_t at, size_t left, float *out) {
    const size_t dim = at % ROW;
    const size_t n = left < ROW - dim ? left : ROW - dim;
    random_row(out, n, p->seed, p->tensor, (uint32_t)source, (uint32_t)(at / ROW),
               (uint32_t)(at / ROW >> 32), (uint32_t)dim, 1.0f);
    return n;
}

void pattern_fill(const struct pattern *p, int source, size_t first, void *out, size_t n) {
    float row[ROW];
    char *to = out;
    for (size_t done = 0; done < n;) {
        const size_t piece = flat_piece(p, source, first + done, n - done, row);
        narrow(row, piece, p->elem_bytes, to + done * p->elem_bytes);
        done += piece;
    }
}

uint64_t pattern_wrong(const struct pattern *p, int source, size_t first, const void *data,
                       size_t n) {
    float row[ROW];
    float want[ROW];
    const char *from = data;
    uint64_t wrong = 0;
    for (size_t done = 0; done < n;) {
        const size_t piece = flat_piece(p, source, first + done, n - done, row);
        narrow(row, piece, p->elem_bytes, want);
        wrong += rows_differ(want, from + done * p->elem_bytes, piece, p->elem_bytes);
        done += piece;
    }
    return wrong;
}

/* head_dim elements of one head, in pieces that fit the stack. */
static void head_piece(const struct pattern *p, int batch, size_t token, int head, int dim, int n,
                       void *out) {
    float row[ROW];
    random_row(row, (size_t)n, p->seed, p->tensor, (uint32_t)batch, (uint32_t)token, (uint32_t)head,
               (uint32_t)dim, 1.0f);
    narrow(row, (size_t)n, p->elem_bytes, out);
}

void pattern_fill_heads(const struct pattern *p, int batch, size_t token, int head, int n_heads,
                        int head_dim, void *out) {
    char *to = out;
    for (int h = 0; h < n_heads; h++)
        for (int d = 0; d < head_dim; d += ROW) {
            const int n = head_dim - d < ROW ? head_dim - d : ROW;
            head_piece(p, batch, token, head + h, d, n, to);
            to += (size_t)n * p->elem_bytes;
        }
}

uint64_t pattern_wrong_heads(const struct pattern *p, int batch, size_t token, int head,
                             int n_heads, int head_dim, const void *data) {
    float want[ROW];
    const char *from = data;
    uint64_t wrong = 0;
    for (int h = 0; h < n_heads; h++)
        for (int d = 0; d < head_dim; d += ROW) {
            const int n = head_dim - d < ROW ? head_dim - d : ROW;
            head_piece(p, batch, token, head + h, d, n, want);
            wrong += rows_differ(want, from, (size_t)n, p->elem_bytes);
            from += (size_t)n * p->elem_bytes;
        }
    return wrong;
}

void pattern_poison(void *data, size_t bytes) {
    if (bytes > 0)
        memset(data, 0xff, bytes); /* a NaN in either type: never generated */
}
