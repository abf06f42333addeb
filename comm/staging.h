/* Packed copies that plans keep, by formula (for memory predictions). */
#ifndef SPB_COMM_STAGING_H
#define SPB_COMM_STAGING_H

#include <stddef.h>

#include "comm/shape.h"

/* What stages, for the functions below, when a transport is asked for with this --mpi-algo: "pull"
 * (nothing is) for shm, and for auto, which takes it on one host unless an algorithm of mpi is
 * named; for hybrid the bound that holds if no peer is on the rank's own host. */
const char *staging_algorithm(const char *transport, const char *mpi_algorithm);

/* Of one Ulysses exchange of n_q query-head and n_kv key/value tensors, in either direction: bytes
 * on this rank, by algorithm ("pairwise": strided blocks to and from other ranks; "alltoall": the
 * whole message of each side that does not already lie as MPI_Alltoall wants it; "pull": none).
 * "auto" stands for the first algorithm of the table. */
size_t staging_ulysses(const struct sp_shape *s, int rank, const char *algorithm, int n_q,
                       int n_kv);

/* Other exchanges have contiguous blocks, which travel in place. */

#endif
