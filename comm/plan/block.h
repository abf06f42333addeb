/* What is exchanged: strided 2-D blocks of buffers. */
#ifndef SPB_COMM_PLAN_BLOCK_H
#define SPB_COMM_PLAN_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that can be exchanged. data may be read and written between wait and start. */
struct buffer {
    void *data;
    size_t bytes;
    void *handle; /* the transport's own */
};

struct block {
    int peer; /* rank in the plan's group */
    const struct buffer *buffer;
    size_t offset;    /* bytes from the start of the buffer */
    size_t rows;      /* number of rows */
    size_t row_bytes; /* contiguous bytes of one row */
    size_t stride;    /* bytes from one row's start to the next one's */
};

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

#endif
