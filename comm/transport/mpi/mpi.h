/* The `mpi` transport: strided blocks as MPI messages, by one of several algorithms. */
#ifndef SPB_COMM_TRANSPORT_MPI_MPI_H
#define SPB_COMM_TRANSPORT_MPI_MPI_H

#include "comm/transport/transport.h"

extern const struct transport_row transport_mpi;

#endif
