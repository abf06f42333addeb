/* A group as MPI has it. For who calls MPI: comm/ranks and the transports that send with it. */
#ifndef SPB_COMM_RANKS_COMMUNICATOR_H
#define SPB_COMM_RANKS_COMMUNICATOR_H

#include <mpi.h>

#include "comm/ranks/group.h"

struct communicator {
    MPI_Comm comm;
    struct group_part *parts; /* all that were ever split off */
};

static inline MPI_Comm group_comm(const struct group *group) {
    return group->mpi->comm;
}

/* Completes n requests (MPI_REQUEST_NULL allowed). */
void wait_requests(enum wait_policy policy, int n, MPI_Request *requests);

#endif
