/* A group of ranks that exchange with each other, and how they wait. What it is to MPI is known to
 * those who include comm/ranks/communicator.h.
 *
 * All collectives here are untimed helpers (start-up, agreement, statistics) except
 * group_barrier(), which is the synchronisation of every measurement. All wait by the group's
 * policy. */
#ifndef SPB_COMM_RANKS_GROUP_H
#define SPB_COMM_RANKS_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "comm/ranks/wait.h"

struct group {
    struct communicator *mpi; /* one for all copies of the group */
    int rank, size;
    enum wait_policy wait;
    int next_tag; /* of the next plan; equal on all ranks, since creating a plan is collective */
    struct group_part *part; /* NULL: it is no part of another */
};

/* The group of all ranks that MPI started. Collective over them. */
enum status group_init(struct group *group, enum wait_policy wait);

/* The ranks of parent that pass the same color, ordered by key. Collective over parent, which keeps
 * the communicator when the part is freed, and gives it to the next who ask for the same ranks:
 * MPI's split spins while it waits, which takes milliseconds where ranks share cores. */
enum status group_split(const struct group *parent, int color, int key, struct group *out);

/* Collective; parts before the group that they are of. */
void group_free(struct group *group);

/* Dissemination barrier, ceil(log2 P) rounds (Hensgen, Finkel, Manber 1988): the same algorithm
 * under every MPI library. */
void group_barrier(const struct group *group);

/* The worst (largest) status of all ranks, on all ranks: call before a collective that a rank
 * which failed would not join. */
enum status group_agree(const struct group *group, enum status mine);

/* Element-wise reductions in place, on all ranks. */
void group_max(const struct group *group, double *x, int n);
void group_sum(const struct group *group, double *x, int n);
void group_max_u64(const struct group *group, uint64_t *x, int n);
void group_sum_u64(const struct group *group, uint64_t *x, int n);

/* bytes of every rank, in rank order, into all (size x bytes, on every rank). */
void group_allgather(const struct group *group, const void *mine, void *all, size_t bytes);

/* bytes from every rank to every other one (size x bytes, in rank order). */
void group_alltoall(const struct group *group, const void *send, void *recv, size_t bytes);

/* root's bytes, on every rank. */
void group_bcast(const struct group *group, void *data, size_t bytes, int root);

/* A few bytes between two ranks, for what they must agree on: both call group_swap(), or one sends
 * and the other receives. In order per pair of ranks. */
void group_swap(const struct group *group, int peer, const void *mine, void *theirs, size_t bytes);
void group_send(const struct group *group, int peer, const void *data, size_t bytes);
void group_receive(const struct group *group, int peer, void *data, size_t bytes);

/* Bytes to and from a peer; the sizes may differ by rank. */
struct parcel {
    int peer;
    const void *send;
    void *recv;
    size_t send_bytes, recv_bytes;
};

/* The same with several peers at once, at most one parcel each. Collective over the group: nothing
 * moves unless all ranks come with mine ST_OK and have memory for it; the same status on all. */
enum status group_swap_parcels(const struct group *group, enum status mine,
                               const struct parcel *parcels, size_t n);

/* What each rank of the group is in `whole`, of which it is a part, [group size]. */
void group_ranks_in(const struct group *group, const struct group *whole, int *ranks);

/* The tag of the next plan of this group. */
int group_take_tag(struct group *group);

#endif
