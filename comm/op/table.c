#include "comm/op/op.h"

/* In the order in which they are listed. */
#define OPERATIONS(ROW)                                                                            \
    ROW(alltoall)                                                                                  \
    ROW(ulysses)                                                                                   \
    ROW(usp)                                                                                       \
    ROW(ring)                                                                                      \
    ROW(ring_hop)                                                                                  \
    ROW(allgather)                                                                                 \
    ROW(reduce_scatter)                                                                            \
    ROW(allreduce)                                                                                 \
    ROW(bisection)

#define DECLARE(name) extern const struct op_row op_##name;
#define LIST(name) &op_##name,

OPERATIONS(DECLARE)
const struct op_row *const op_table[] = {OPERATIONS(LIST) NULL};
