#include "comm/transport/mpi/algorithm.h"

#include <string.h>

#define ALGORITHMS(ROW)                                                                            \
    ROW(pairwise)                                                                                  \
    ROW(alltoall)                                                                                  \
    ROW(datatype)

#define DECLARE(name) extern const struct mpi_algorithm mpi_##name;
#define LIST(name) &mpi_##name,

ALGORITHMS(DECLARE)
const struct mpi_algorithm *const mpi_algorithm_table[] = {ALGORITHMS(LIST) NULL};

const struct mpi_algorithm *mpi_algorithm_find(const char *name) {
    for (size_t i = 0; mpi_algorithm_table[i]; i++)
        if (strcmp(mpi_algorithm_table[i]->name, name) == 0)
            return mpi_algorithm_table[i];
    return NULL;
}
