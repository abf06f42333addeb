/* Strided blocks as MPI derived datatypes. */
#ifndef SPB_COMM_MPI_BLOCK_TYPE_H
#define SPB_COMM_MPI_BLOCK_TYPE_H

#include <mpi.h>

#include "comm/transport.h"

/* The type that picks bytes [from, from + bytes) of the block, counted in row order, out of memory
 * at block_data(). bytes > 0 within the block, and at most INT_MAX. Its signature is bytes x
 * MPI_BYTE, so that it matches any other shape of as many bytes. Committed; the caller frees it. */
MPI_Datatype block_type(const struct block *b, size_t from, size_t bytes);

#endif
