/* Packed copies that plans keep, by formula (for memory predictions). */
#ifndef SPB_COMM_STAGING_H
#define SPB_COMM_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/shape.h"

/* The algorithms of several exchanges: one name where they are all the same, else one an exchange,
 * in the order in which they were planned, as "pairwise,datatype". Zero-initialise. */
struct algorithm_list {
    char text[128];
    int n;
};

/* Appends what plan_algorithm() says of the next exchange. A list that runs out of room ends in
 * "...". */
void algorithm_list_add(struct algorithm_list *list, const char *name);

/* The index-th name of such a text. */
struct algorithm_name {
    char text[48];
};
struct algorithm_name staging_nth(const char *algorithms, int index);

/* What stages, for the functions below, when a transport is asked for with this --mpi-algo: "pull"
 * (nothing is) for shm, and for auto, which takes it on one host unless an algorithm of mpi is
 * named; for hybrid the bound that holds if no peer is on the rank's own host. "auto" where a trial
 * will choose: the most that any choice stages. */
const char *staging_algorithm(const char *transport, const char *mpi_algorithm);

/* Of one Ulysses exchange of n_q query-head and n_kv key/value tensors, in either direction: bytes
 * on this rank, by algorithm ("pairwise": strided blocks to and from other ranks; "alltoall": the
 * whole message of each side that does not already lie as MPI_Alltoall wants it; "datatype",
 * "pull", "push": none; with "+NAME": at most what NAME stages). Any other text, "auto" and lists
 * among them: the most that there can be. */
size_t staging_ulysses(const struct sp_shape *s, int rank, const char *algorithm, int n_q,
                       int n_kv);

/* Whether strided blocks of other exchanges are packed: not where they are copied straight, or
 * described to MPI as they lie. */
bool staging_packs(const char *algorithm);

/* Other exchanges have contiguous blocks, which travel in place. */

#endif
