/* The ways to carry out a plan over MPI (--mpi-algo): rows of a table.
 *
 * A new one is a file with its row and its name in the list of algorithm.c. */
#ifndef SPB_COMM_TRANSPORT_MPI_ALGORITHM_H
#define SPB_COMM_TRANSPORT_MPI_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "comm/shape/staging.h"

struct mpi_plan;

/* One way to carry out a plan over MPI: a row of mpi_algorithm_table. */
struct mpi_algorithm {
    const char *name;
    const char *help;
    bool needs_every_peer; /* for plans in which all ranks send to all only */
    bool for_strided;      /* nothing new where no block is strided */
    enum staged stages;    /* what it packs */
    size_t most_bytes;     /* that a rank can send or receive; 0: no limit */
    enum status (*create)(struct mpi_plan *plan); /* fills state and staging */
    void (*start)(struct mpi_plan *plan);
    bool (*progress)(struct mpi_plan *plan);
    void (*destroy)(struct mpi_plan *plan);
};

/* Terminated by NULL; the first one carries out every plan. */
extern const struct mpi_algorithm *const mpi_algorithm_table[];

#endif
