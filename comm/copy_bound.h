/* What an exchange between ranks of one host could at best take: the fastest contiguous copy. */
#ifndef SPB_COMM_COPY_BOUND_H
#define SPB_COMM_COPY_BOUND_H

#include <stddef.h>

#include "comm/group.h"

/* Seconds in which all ranks at once copy `bytes` each, in `pieces` equal pieces, from one buffer
 * to another: the faster of plain and streaming stores, each the median over repetitions of the
 * slowest rank's time. Collective. 0 when there is no memory for the buffers. budget_s bounds the
 * time spent. */
double copy_bound(const struct group *group, size_t bytes, int pieces, double budget_s);

#endif
