#include "comm/transport/mpi/algorithm.h"

#define ALGORITHMS(ROW)                                                                            \
    ROW(pairwise)                                                                                  \
    ROW(alltoall)                                                                                  \
    ROW(datatype)

#define DECLARE(name) extern const struct mpi_algorithm mpi_##name;
#define LIST(name) &mpi_##name,

ALGORITHMS(DECLARE)
const struct mpi_algorithm *const mpi_algorithm_table[] = {ALGORITHMS(LIST) NULL};
