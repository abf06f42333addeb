/* A copy that can stop and go on: what a rank takes out of one peer's memory, as rectangles. */
#ifndef SPB_COMM_COPY_LIST_H
#define SPB_COMM_COPY_LIST_H

#include "base/status.h"
#include "comm/copy/rows.h"
#include "comm/plan/block.h"

/* Zero-initialise. */
struct copy_list {
    struct rectangle *rectangles;
    size_t n, capacity;
    /* The next byte to copy: of this rectangle, row, and in the row. */
    size_t rectangle, row, at;
};

/* Adds src's bytes, in row order, into dst's rows; the byte counts must agree, the shapes need not.
 * ST_ENV (logged) when out of memory. */
enum status copy_list_add(struct copy_list *list, const struct block *dst, const struct block *src);
void copy_list_free(struct copy_list *list);

/* Puts the copies in the order in which their sources lie, those whose rows lie side by side
 * together row by row: a matrix of which every column goes elsewhere is then read once from its
 * beginning to its end. */
void copy_list_weave(struct copy_list *list);

/* From the beginning again. */
void copy_list_rewind(struct copy_list *list);

/* Copies on for at most about *budget bytes and takes them off it. true: all is copied. */
bool copy_list_step(struct copy_list *list, copy_rows_fn *copy, size_t *budget);

#endif
