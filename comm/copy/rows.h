/* Copies of many rows between two strides: the inner loop of exchanges through shared memory, and
 * of the bound they are measured against. */
#ifndef SPB_COMM_COPY_ROWS_H
#define SPB_COMM_COPY_ROWS_H

#include <stddef.h>

/* Rows of equal length between two strides, in bytes from one row's start to the next one's. */
struct rectangle {
    char *to;
    const char *from;
    size_t to_stride, from_stride;
    size_t row_bytes, rows;
    size_t woven; /* of the first of a weave (comm/copy/list.h): its rectangles, itself included */
};

/* Copies rows [first, first + rows) of n rectangles that have as many: row by row, in each row
 * through all rectangles in turn. */
typedef void copy_rows_fn(const struct rectangle *r, size_t n, size_t first, size_t rows);

/* Plain stores: best while the data stay in cache. */
copy_rows_fn copy_rows_plain;

/* The widest streaming stores this processor has, complete (fenced) on return; plain ones where it
 * has none. They leave out the read of the destination's lines that a plain store begins with
 * (Intel 64 and IA-32 optimization reference manual, "Non-temporal stores"), and leave the
 * destination out of the caches: best where it would not stay there anyway. */
copy_rows_fn *copy_rows_streaming(void);

#endif
