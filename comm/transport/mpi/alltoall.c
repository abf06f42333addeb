/* Pack, the library's all-to-all, unpack: the row that users of IMB and OSU compare with, and what
 * most Ulysses implementations do. Packing is left out where the blocks already lie as the library
 * wants them. MPI_Alltoall where all shares are equal, else MPI_Alltoallv.
 *
 * With a core per rank the call is the blocking one, as those benchmarks time it; where ranks share
 * cores it is the nonblocking one, waited for by policy, since the blocking one spins. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "comm/copy/strided.h"
#include "comm/ranks/communicator.h"
#include "comm/transport/mpi/plan.h"

/* One side of the exchange: counts and displacements in bytes, by peer. */
struct side {
    int *counts, *displs;
    char *data;  /* what MPI reads or fills */
    bool staged; /* data is a packed copy */
};

struct alltoall {
    struct side send, recv;
    bool uniform; /* all counts are equal, on every rank */
    MPI_Request request;
    bool unpacked;
};

/* Where the blocks of each peer, in list order, follow one another in rank order and lie in one
 * piece of memory, MPI can read or fill them in place. */
static bool lies_in_order(const struct block *blocks, size_t n, const int *displs) {
    if (n == 0)
        return true;
    const char *base = block_data(&blocks[0]);
    size_t at = 0;
    int peer = 0;
    for (size_t i = 0; i < n; i++) {
        if (!block_contiguous(&blocks[i]) || blocks[i].peer < peer)
            return false;
        if (blocks[i].peer != peer) {
            peer = blocks[i].peer;
            if (at != (size_t)displs[peer])
                return false;
        }
        if (block_data(&blocks[i]) != base + at)
            return false;
        at += block_bytes(&blocks[i]);
    }
    return true;
}

static enum status side_create(struct mpi_plan *plan, const struct block *blocks, size_t n,
                               struct side *side, char **staging) {
    const int size = plan->group->size;
    side->counts = calloc((size_t)size, sizeof *side->counts);
    side->displs = calloc((size_t)size, sizeof *side->displs);
    if (!side->counts || !side->displs)
        return fail(ST_ENV, "out of memory for an exchange plan");
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += block_bytes(&blocks[i]);
    if (total > INT_MAX)
        return fail(ST_USAGE,
                    "--mpi-algo alltoall: a rank's %zu bytes exceed what MPI_Alltoallv can count "
                    "(%d); use --mpi-algo pairwise",
                    total, INT_MAX);
    for (size_t i = 0; i < n; i++)
        side->counts[blocks[i].peer] += (int)block_bytes(&blocks[i]);
    for (int p = 1; p < size; p++)
        side->displs[p] = side->displs[p - 1] + side->counts[p - 1];
    side->staged = !lies_in_order(blocks, n, side->displs);
    if (!side->staged) {
        side->data = n ? block_data(&blocks[0]) : NULL;
        return ST_OK;
    }
    *staging = mem_alloc(plan->base.transport->ledger, MEM_EXCHANGE, total);
    side->data = *staging;
    return *staging ? ST_OK : ST_ENV;
}

static bool counts_equal(const struct side *side, int size) {
    for (int p = 1; p < size; p++)
        if (side->counts[p] != side->counts[0])
            return false;
    return true;
}

static enum status alltoall_create(struct mpi_plan *plan) {
    struct alltoall *a = calloc(1, sizeof *a);
    enum status st =
        group_agree(plan->group, a ? ST_OK : fail(ST_ENV, "out of memory for an exchange plan"));
    plan->state = a;
    if (st != ST_OK)
        return st;
    a->request = MPI_REQUEST_NULL;
    st = side_create(plan, plan->send, plan->n_send, &a->send, &plan->staging_send);
    if (st == ST_OK)
        st = side_create(plan, plan->recv, plan->n_recv, &a->recv, &plan->staging_recv);
    /* Ranks that failed take part: the decision below is collective. */
    const int size = plan->group->size;
    const bool even = st == ST_OK && counts_equal(&a->send, size) && counts_equal(&a->recv, size) &&
                      a->send.counts[0] == a->recv.counts[0];
    double extremes[2] = {even ? a->send.counts[0] : INT_MAX, even ? -a->send.counts[0] : INT_MAX};
    group_max(plan->group, extremes, 2);
    a->uniform = extremes[0] == -extremes[1];
    return st;
}

static void alltoall_destroy(struct mpi_plan *plan) {
    struct alltoall *a = plan->state;
    if (!a)
        return;
    free(a->recv.displs);
    free(a->recv.counts);
    free(a->send.displs);
    free(a->send.counts);
    free(a);
}

/* Packs or unpacks one side; offset[] walks each peer's part of the message. */
static void repack(struct mpi_plan *plan, const struct block *blocks, size_t n,
                   const struct side *side, bool packing) {
    trace_begin(plan->base.transport->trace, PHASE_PACK);
    size_t at = 0;
    for (int p = 0; p < plan->group->size; p++) {
        for (size_t i = 0; i < n; i++) {
            if (blocks[i].peer != p)
                continue;
            if (packing)
                block_pack(&blocks[i], side->data + at);
            else
                block_unpack(&blocks[i], side->data + at);
            at += block_bytes(&blocks[i]);
        }
    }
    trace_end(plan->base.transport->trace);
}

static void call_library(struct mpi_plan *plan, struct alltoall *a) {
    const MPI_Comm comm = group_comm(plan->group);
    const bool blocking = plan->group->wait == WAIT_SPIN;
    const struct side *s = &a->send, *r = &a->recv;
    if (blocking && a->uniform)
        MPI_Alltoall(s->data, s->counts[0], MPI_BYTE, r->data, r->counts[0], MPI_BYTE, comm);
    else if (blocking)
        MPI_Alltoallv(s->data, s->counts, s->displs, MPI_BYTE, r->data, r->counts, r->displs,
                      MPI_BYTE, comm);
    else if (a->uniform)
        MPI_Ialltoall(s->data, s->counts[0], MPI_BYTE, r->data, r->counts[0], MPI_BYTE, comm,
                      &a->request);
    else
        MPI_Ialltoallv(s->data, s->counts, s->displs, MPI_BYTE, r->data, r->counts, r->displs,
                       MPI_BYTE, comm, &a->request);
}

static void alltoall_start(struct mpi_plan *plan) {
    struct alltoall *a = plan->state;
    if (a->send.staged)
        repack(plan, plan->send, plan->n_send, &a->send, true);
    a->unpacked = false;
    const int self = plan->group->rank;
    for (int p = 0; p < plan->group->size; p++)
        if (p != self)
            plan->base.transport->sent[plan->base.traffic] += (size_t)a->send.counts[p];
    call_library(plan, a);
}

static bool alltoall_progress(struct mpi_plan *plan) {
    struct alltoall *a = plan->state;
    if (a->unpacked)
        return true;
    int done = 0;
    MPI_Test(&a->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    if (a->recv.staged)
        repack(plan, plan->recv, plan->n_recv, &a->recv, false);
    a->unpacked = true;
    return true;
}

const struct mpi_algorithm mpi_alltoall = {
    .name = "alltoall",
    .help = "pack, the library's MPI_Alltoall(v), unpack",
    .needs_every_peer = true,
    .stages = STAGED_SIDES,
    .most_bytes = INT_MAX,
    .create = alltoall_create,
    .start = alltoall_start,
    .progress = alltoall_progress,
    .destroy = alltoall_destroy,
};
