#include "comm/ranks/communicator.h"

#include <stdlib.h>
#include <string.h>

/* The standard guarantees tags up to 32767 only. */
enum { TAG_BARRIER, TAG_NOTE, TAG_FIRST, TAG_LAST = 32767 };

/* A part of a group, for as long as the group is there. */
struct group_part {
    struct group_part *next;
    struct group group;
    struct communicator mpi;
    bool taken;
    int who[][2]; /* color and key of every rank of the parent */
};

struct requests {
    int n;
    MPI_Request *v;
};

static bool requests_done(void *arg) {
    const struct requests *r = arg;
    int flag = 0;
    MPI_Testall(r->n, r->v, &flag, MPI_STATUSES_IGNORE);
    return flag;
}

void wait_requests(enum wait_policy policy, int n, MPI_Request *requests) {
    struct requests r = {n, requests};
    wait_until(policy, requests_done, &r);
}

static void adopt(struct group *group, struct communicator *mpi, enum wait_policy wait) {
    *group = (struct group){.mpi = mpi, .wait = wait, .next_tag = TAG_FIRST};
    MPI_Comm_rank(mpi->comm, &group->rank);
    MPI_Comm_size(mpi->comm, &group->size);
}

enum status group_init(struct group *group, enum wait_policy wait) {
    struct communicator world = {.comm = MPI_COMM_NULL}, *mpi = malloc(sizeof *mpi);
    *group = (struct group){0};
    if (MPI_Comm_dup(MPI_COMM_WORLD, &world.comm) != MPI_SUCCESS) {
        free(mpi);
        return fail(ST_ENV, "MPI_Comm_dup failed");
    }
    adopt(group, &world, wait);
    const enum status st =
        group_agree(group, mpi ? ST_OK : fail(ST_ENV, "out of memory for a group of ranks"));
    if (st != ST_OK) {
        MPI_Comm_free(&world.comm);
        free(mpi);
        *group = (struct group){0};
        return st;
    }
    *mpi = world;
    group->mpi = mpi;
    return ST_OK;
}

static void release(struct communicator *mpi) {
    struct group_part *part = mpi->parts;
    while (part) {
        struct group_part *next = part->next;
        release(&part->mpi);
        free(part);
        part = next;
    }
    MPI_Comm_free(&mpi->comm);
}

/* A free one of the same ranks in the same order: all ranks of the parent find the same. */
static struct group_part *find_part(const struct group *parent, const struct group_part *wanted) {
    struct group_part *part = parent->mpi->parts;
    const size_t bytes = (size_t)parent->size * sizeof part->who[0];
    while (part && (part->taken || memcmp(part->who, wanted->who, bytes) != 0))
        part = part->next;
    return part;
}

/* The part is the parent's from then on, unless it fails. */
static enum status split(const struct group *parent, struct group_part *part) {
    const int *mine = part->who[parent->rank];
    if (MPI_Comm_split(group_comm(parent), mine[0], mine[1], &part->mpi.comm) != MPI_SUCCESS)
        return fail(ST_ENV, "MPI_Comm_split failed");
    adopt(&part->group, &part->mpi, parent->wait);
    part->next = parent->mpi->parts;
    parent->mpi->parts = part;
    return ST_OK;
}

enum status group_split(const struct group *parent, int color, int key, struct group *out) {
    const int mine[2] = {color, key};
    struct group_part *part = calloc(1, sizeof *part + (size_t)parent->size * sizeof part->who[0]);
    enum status st =
        group_agree(parent, part ? ST_OK : fail(ST_ENV, "out of memory for a group of ranks"));
    struct group_part *known = NULL;
    if (st == ST_OK) {
        group_allgather(parent, mine, part->who, sizeof mine);
        known = find_part(parent, part);
        if (!known)
            st = split(parent, part);
    }
    if (known || st != ST_OK) {
        free(part);
        part = known;
    }
    if (st != ST_OK)
        return st;
    part->taken = true;
    *out = part->group;
    out->wait = parent->wait;
    out->part = part;
    return ST_OK;
}

void group_free(struct group *group) {
    if (group->part) {
        group->part->taken = false;
    } else if (group->mpi) {
        release(group->mpi);
        free(group->mpi);
    }
    *group = (struct group){0};
}

void group_barrier(const struct group *group) {
    for (int step = 1; step < group->size; step *= 2) {
        const int to = (group->rank + step) % group->size;
        const int from = (group->rank - step + group->size) % group->size;
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, from, TAG_BARRIER, group_comm(group), &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, to, TAG_BARRIER, group_comm(group), &requests[1]);
        wait_requests(group->wait, 2, requests);
    }
}

static void allreduce(const struct group *group, void *x, int n, MPI_Datatype type, MPI_Op op) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, x, n, type, op, group_comm(group), &request);
    wait_requests(group->wait, 1, &request);
}

enum status group_agree(const struct group *group, enum status mine) {
    int worst = (int)mine;
    allreduce(group, &worst, 1, MPI_INT, MPI_MAX);
    return (enum status)worst;
}

void group_max(const struct group *group, double *x, int n) {
    allreduce(group, x, n, MPI_DOUBLE, MPI_MAX);
}

void group_sum(const struct group *group, double *x, int n) {
    allreduce(group, x, n, MPI_DOUBLE, MPI_SUM);
}

void group_max_u64(const struct group *group, uint64_t *x, int n) {
    allreduce(group, x, n, MPI_UINT64_T, MPI_MAX);
}

void group_sum_u64(const struct group *group, uint64_t *x, int n) {
    allreduce(group, x, n, MPI_UINT64_T, MPI_SUM);
}

void group_allgather(const struct group *group, const void *mine, void *all, size_t bytes) {
    MPI_Request request;
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, group_comm(group),
                   &request);
    wait_requests(group->wait, 1, &request);
}

void group_alltoall(const struct group *group, const void *send, void *recv, size_t bytes) {
    MPI_Request request;
    MPI_Ialltoall(send, (int)bytes, MPI_BYTE, recv, (int)bytes, MPI_BYTE, group_comm(group),
                  &request);
    wait_requests(group->wait, 1, &request);
}

void group_bcast(const struct group *group, void *data, size_t bytes, int root) {
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, root, group_comm(group), &request);
    wait_requests(group->wait, 1, &request);
}

void group_swap(const struct group *group, int peer, const void *mine, void *theirs, size_t bytes) {
    MPI_Request requests[2];
    MPI_Irecv(theirs, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group_comm(group), &requests[0]);
    MPI_Isend(mine, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group_comm(group), &requests[1]);
    wait_requests(group->wait, 2, requests);
}

void group_send(const struct group *group, int peer, const void *data, size_t bytes) {
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group_comm(group), &request);
    wait_requests(group->wait, 1, &request);
}

void group_receive(const struct group *group, int peer, void *data, size_t bytes) {
    MPI_Request request;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group_comm(group), &request);
    wait_requests(group->wait, 1, &request);
}

enum status group_swap_parcels(const struct group *group, enum status mine,
                               const struct parcel *parcels, size_t n) {
    MPI_Request *requests = malloc((2 * n + 1) * sizeof(MPI_Request));
    if (mine == ST_OK && !requests)
        mine = fail(ST_ENV, "out of memory for messages to %zu ranks", n);
    const enum status st = group_agree(group, mine);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        const struct parcel *p = &parcels[i];
        MPI_Irecv(p->recv, (int)p->recv_bytes, MPI_BYTE, p->peer, TAG_NOTE, group_comm(group),
                  &requests[2 * i]);
        MPI_Isend(p->send, (int)p->send_bytes, MPI_BYTE, p->peer, TAG_NOTE, group_comm(group),
                  &requests[2 * i + 1]);
    }
    if (st == ST_OK)
        wait_requests(group->wait, (int)(2 * n), requests);
    free(requests);
    return st;
}

void group_ranks_in(const struct group *group, const struct group *whole, int *ranks) {
    MPI_Group mine, all;
    MPI_Comm_group(group_comm(group), &mine);
    MPI_Comm_group(group_comm(whole), &all);
    for (int r = 0; r < group->size; r++)
        MPI_Group_translate_ranks(mine, 1, &r, all, &ranks[r]);
    MPI_Group_free(&all);
    MPI_Group_free(&mine);
}

int group_take_tag(struct group *group) {
    const int tag = group->next_tag;
    group->next_tag = tag == TAG_LAST ? TAG_FIRST : tag + 1;
    return tag;
}
