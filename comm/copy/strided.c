#include "comm/copy/strided.h"

#include <string.h>

void block_pack(const struct block *b, char *out) {
    const char *from = block_data(b);
    if (block_contiguous(b)) {
        memcpy(out, from, block_bytes(b));
        return;
    }
    for (size_t r = 0; r < b->rows; r++)
        memcpy(out + r * b->row_bytes, from + r * b->stride, b->row_bytes);
}

void block_unpack(const struct block *b, const char *in) {
    char *to = block_data(b);
    if (block_contiguous(b)) {
        memcpy(to, in, block_bytes(b));
        return;
    }
    for (size_t r = 0; r < b->rows; r++)
        memcpy(to + r * b->stride, in + r * b->row_bytes, b->row_bytes);
}

/* Where the walk through a block's rows stands. */
struct cursor {
    const struct block *b;
    size_t row, at;
};

static size_t cursor_left(const struct cursor *c) {
    return block_contiguous(c->b) ? block_bytes(c->b) - c->at : c->b->row_bytes - c->at;
}

static char *cursor_data(const struct cursor *c) {
    return block_data(c->b) + c->row * c->b->stride + c->at;
}

static void cursor_move(struct cursor *c, size_t bytes) {
    c->at += bytes;
    if (!block_contiguous(c->b) && c->at == c->b->row_bytes) {
        c->row++;
        c->at = 0;
    }
}

void block_copy(const struct block *dst, const struct block *src) {
    struct cursor to = {dst, 0, 0};
    struct cursor from = {src, 0, 0};
    for (size_t left = block_bytes(src); left > 0;) {
        const size_t room = cursor_left(&to);
        const size_t have = cursor_left(&from);
        const size_t n = room < have ? room : have;
        memcpy(cursor_data(&to), cursor_data(&from), n);
        cursor_move(&to, n);
        cursor_move(&from, n);
        left -= n;
    }
}
