/* What an exchange between ranks of one host could at best take: the fastest contiguous copy of its
 * bytes, all ranks at once. Whoever measures runs it in turn with the exchange, so that a machine
 * whose memory is faster at one time than at another is so for both. */
#ifndef SPB_COMM_COPY_BOUND_H
#define SPB_COMM_COPY_BOUND_H

#include <stdbool.h>

#include "comm/copy/rows.h"

struct copy_bound {
    char *from, *to; /* in huge pages where the kernel gives them */
    size_t bytes;
    int pieces;
};

/* How it can be done: by plain or by streaming stores. The bound is the faster one. */
enum { COPY_BOUND_WAYS = 2 };
copy_rows_fn *copy_bound_way(int i);

/* Buffers of bytes > 0, copied in pieces >= 1 equal pieces. false: there is no memory for them, and
 * nothing to close. */
bool copy_bound_open(size_t bytes, int pieces, struct copy_bound *out);
void copy_bound_run(const struct copy_bound *b, copy_rows_fn *way);

/* Zeroed: allowed. */
void copy_bound_close(struct copy_bound *b);

#endif
