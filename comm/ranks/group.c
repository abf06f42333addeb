#include "comm/ranks/group.h"

#include <stdlib.h>
#include <string.h>

/* The standard guarantees tags up to 32767 only. */
enum { TAG_BARRIER, TAG_NOTE, TAG_FIRST, TAG_LAST = 32767 };

/* A part of a group, for as long as the group is there. */
struct group_part {
    struct group_part *next;
    struct group group;
    bool taken;
    int who[][2]; /* color and key of every rank of the parent */
};

struct group_parts {
    struct group_part *first;
};

static enum status adopt(struct group *group, MPI_Comm comm, enum wait_policy wait) {
    *group = (struct group){.comm = comm, .wait = wait, .next_tag = TAG_FIRST};
    MPI_Comm_rank(comm, &group->rank);
    MPI_Comm_size(comm, &group->size);
    group->parts = calloc(1, sizeof *group->parts);
    return group_agree(group, group->parts ? ST_OK : fail(ST_ENV, "out of memory for a group"));
}

enum status group_init(struct group *group, MPI_Comm comm, enum wait_policy wait) {
    MPI_Comm copy = MPI_COMM_NULL;
    if (MPI_Comm_dup(comm, &copy) != MPI_SUCCESS)
        return fail(ST_ENV, "MPI_Comm_dup failed");
    return adopt(group, copy, wait);
}

/* Also of a group that could not be adopted. */
static void release(struct group *group) {
    struct group_part *part = group->parts ? group->parts->first : NULL;
    while (part) {
        struct group_part *next = part->next;
        release(&part->group);
        free(part);
        part = next;
    }
    free(group->parts);
    MPI_Comm_free(&group->comm);
}

/* A free one of the same ranks in the same order: all ranks of the parent find the same. */
static struct group_part *find_part(const struct group *parent, const struct group_part *wanted) {
    struct group_part *part = parent->parts->first;
    const size_t bytes = (size_t)parent->size * sizeof part->who[0];
    while (part && (part->taken || memcmp(part->who, wanted->who, bytes) != 0))
        part = part->next;
    return part;
}

/* The part is the parent's from then on, unless it fails. */
static enum status split(const struct group *parent, struct group_part *part) {
    const int *mine = part->who[parent->rank];
    MPI_Comm comm = MPI_COMM_NULL;
    if (MPI_Comm_split(parent->comm, mine[0], mine[1], &comm) != MPI_SUCCESS)
        return fail(ST_ENV, "MPI_Comm_split failed");
    const enum status st = group_agree(parent, adopt(&part->group, comm, parent->wait));
    if (st != ST_OK) {
        release(&part->group);
        return st;
    }
    part->next = parent->parts->first;
    parent->parts->first = part;
    return ST_OK;
}

enum status group_split(const struct group *parent, int color, int key, struct group *out) {
    const int mine[2] = {color, key};
    struct group_part *part = calloc(1, sizeof *part + (size_t)parent->size * sizeof part->who[0]);
    enum status st =
        group_agree(parent, part ? ST_OK : fail(ST_ENV, "out of memory for a group of ranks"));
    if (st == ST_OK) {
        group_allgather(parent, mine, part->who, sizeof mine);
        struct group_part *known = find_part(parent, part);
        if (!known)
            st = split(parent, part);
        if (known || st != ST_OK) {
            free(part);
            part = known;
        }
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
    if (group->part)
        group->part->taken = false;
    else if (group->size > 0)
        release(group);
    *group = (struct group){.comm = MPI_COMM_NULL};
}

void group_barrier(const struct group *group) {
    for (int step = 1; step < group->size; step *= 2) {
        const int to = (group->rank + step) % group->size;
        const int from = (group->rank - step + group->size) % group->size;
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, from, TAG_BARRIER, group->comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, to, TAG_BARRIER, group->comm, &requests[1]);
        wait_requests(group->wait, 2, requests);
    }
}

static void allreduce(const struct group *group, void *x, int n, MPI_Datatype type, MPI_Op op) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, x, n, type, op, group->comm, &request);
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
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, group->comm, &request);
    wait_requests(group->wait, 1, &request);
}

void group_bcast(const struct group *group, void *data, size_t bytes, int root) {
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, root, group->comm, &request);
    wait_requests(group->wait, 1, &request);
}

void group_swap(const struct group *group, int peer, const void *mine, void *theirs, size_t bytes) {
    MPI_Request requests[2];
    MPI_Irecv(theirs, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group->comm, &requests[0]);
    MPI_Isend(mine, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group->comm, &requests[1]);
    wait_requests(group->wait, 2, requests);
}

void group_send(const struct group *group, int peer, const void *data, size_t bytes) {
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group->comm, &request);
    wait_requests(group->wait, 1, &request);
}

void group_receive(const struct group *group, int peer, void *data, size_t bytes) {
    MPI_Request request;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, peer, TAG_NOTE, group->comm, &request);
    wait_requests(group->wait, 1, &request);
}

int group_take_tag(struct group *group) {
    const int tag = group->next_tag;
    group->next_tag = tag == TAG_LAST ? TAG_FIRST : tag + 1;
    return tag;
}
