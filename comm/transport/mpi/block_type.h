/* Strided blocks as MPI derived datatypes. */
#ifndef SPB_COMM_TRANSPORT_MPI_BLOCK_TYPE_H
#define SPB_COMM_TRANSPORT_MPI_BLOCK_TYPE_H

#include <mpi.h>

#include "comm/plan/block.h"

/* The predefined type of 1, 2, 4 or 8 bytes. Both ends of a message must use the same one. Bytes
 * would do for all, but MPICH copies rows element by element, wider ones three to four times as
 * fast. */
MPI_Datatype unit_type(size_t unit);

/* The type that picks bytes [from, from + bytes) of the block, counted in row order, out of memory
 * at block_data(). bytes > 0 within the block, and at most INT_MAX; all lengths are multiples of
 * unit. Its signature is bytes / unit times unit_type(), so that it matches any other shape of as
 * many bytes. Committed; the caller frees it. */
MPI_Datatype block_type(const struct block *b, size_t from, size_t bytes, size_t unit);

#endif
