/* Copies between strided blocks and contiguous memory. */
#ifndef SPB_COMM_COPY_STRIDED_H
#define SPB_COMM_COPY_STRIDED_H

#include <stdbool.h>

#include "comm/transport/transport.h"

static inline size_t block_bytes(const struct block *b) {
    return b->rows * b->row_bytes;
}

static inline char *block_data(const struct block *b) {
    return (char *)b->buffer->data + b->offset;
}

/* One run of memory, so that it can be sent or received in place. */
static inline bool block_contiguous(const struct block *b) {
    return b->rows <= 1 || b->stride == b->row_bytes;
}

/* Gathers the block's rows into out, or scatters in over them; block_bytes() bytes. */
void block_pack(const struct block *b, char *out);
void block_unpack(const struct block *b, const char *in);

/* src's bytes in row order into dst's rows; the byte counts must agree, the shapes need not. */
void block_copy(const struct block *dst, const struct block *src);

#endif
