/* Packed copies that plans keep, by formula (for memory predictions). */
#ifndef SPB_COMM_SHAPE_STAGING_H
#define SPB_COMM_SHAPE_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/shape/hosts.h"
#include "comm/shape/shape.h"

/* The algorithms of several exchanges: one name where they are all the same, else one an exchange,
 * in the order in which they were planned, as "pairwise,datatype". Zero-initialise. */
struct algorithm_list {
    char text[4096];
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

/* What decides which blocks of a group's exchanges are packed. */
struct staging {
    const char *algorithms; /* of its plans in their order, as algorithm_list has them; or one name
                               for all of them */
    struct hosts hosts;     /* of its ranks */
};

/* What stages when a transport is asked for with this --mpi-algo: for auto, which takes shm on one
 * host unless an algorithm of mpi is named, and for hybrid it depends on whether all ranks are on
 * one host. "auto" where a trial will choose, or several hosts decide: the most that any choice
 * stages. */
const char *staging_algorithm(const char *transport, const char *mpi_algorithm, bool one_host);

/* Of one Ulysses exchange of n_q query-head and n_kv key/value tensors, in either direction: bytes
 * on this rank, by algorithm ("pairwise": strided blocks to and from other ranks; "alltoall": the
 * whole message of each side that does not already lie as MPI_Alltoall wants it; "datatype",
 * "pull", "push": none; with "+NAME": what NAME stages to and from ranks of other hosts). Any other
 * text, "auto" and lists among them: the most that there can be. hosts: of the Ulysses group. */
size_t staging_ulysses(const struct sp_shape *s, int rank, const char *algorithm,
                       const struct hosts *hosts, int n_q, int n_kv);

/* Of other exchanges over a group of `ranks`, where blocks are strided (contiguous ones travel in
 * place): for how many of the other ranks they are packed (none where they are copied straight, or
 * described to MPI as they lie), and whether an all-to-all is one message to the library, with the
 * rank's own. */
struct packing {
    int peers;
    bool whole;
};
struct packing staging_packing(const char *algorithm, const struct hosts *hosts, int rank,
                               int ranks);

#endif
