/* Rows of comm's tables by name, as tests list them. */
#ifndef SPB_TESTS_COMM_ROWS_H
#define SPB_TESTS_COMM_ROWS_H

#include <stdlib.h>
#include <string.h>

#include "comm/op/op.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/transport.h"

/* NULL: "auto". */
static inline const struct transport_row *transport_named(const char *name) {
    size_t i = 0;
    while (transport_table[i] && strcmp(transport_table[i]->name, name) != 0)
        i++;
    if (!transport_table[i] && strcmp(name, "auto") != 0)
        abort();
    return transport_table[i];
}

static inline const struct mpi_algorithm *algorithm_named(const char *name) {
    size_t i = 0;
    while (mpi_algorithm_table[i] && strcmp(mpi_algorithm_table[i]->name, name) != 0)
        i++;
    if (!mpi_algorithm_table[i] && strcmp(name, "auto") != 0)
        abort();
    return mpi_algorithm_table[i];
}

static inline const struct op_row *op_named(const char *name) {
    size_t i = 0;
    while (op_table[i] && strcmp(op_table[i]->name, name) != 0)
        i++;
    if (!op_table[i])
        abort();
    return op_table[i];
}

#endif
