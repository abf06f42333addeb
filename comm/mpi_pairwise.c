/* One nonblocking message a block: contiguous blocks travel in place, strided ones through a
 * packed copy on the side that needs it; the rank's own blocks are copied directly. Receives are
 * posted first, sends go to the next rank upward first, so that no rank is everybody's first
 * target. */
#include <stdlib.h>
#include <string.h>

#include "comm/mpi_transport.h"
#include "comm/strided.h"

/* A block longer than an MPI count can say travels in pieces. */
static const size_t PIECE_BYTES = (size_t)1 << 30;

struct message {
    const struct block *block;
    char *data;    /* what MPI sends or fills */
    bool staged;   /* data is a packed copy */
    size_t first;  /* its first request */
    size_t pieces; /* its number of requests */
    size_t open;   /* pieces that have not arrived */
};

struct pairwise {
    struct message *send, *recv;
    size_t n_send, n_recv;
    MPI_Request *requests; /* persistent: receives first, then sends */
    size_t n_requests, n_recv_requests;
    size_t *message_of; /* receive request -> message */
    int *indices;       /* for MPI_Testsome */
    size_t open;        /* requests that have not completed */
};

static size_t pieces_of(size_t bytes) {
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* Messages to or from other ranks, in the order of rising distance; returns their number.
 * Also adds up the requests they need and the bytes that must be staged. */
static size_t list_messages(const struct block *blocks, size_t n, const struct group *g,
                            int direction, struct message *out, size_t *requests,
                            size_t *staged_bytes) {
    size_t count = 0;
    for (int distance = 1; distance < g->size; distance++) {
        const int peer = (g->rank + direction * distance + g->size) % g->size;
        for (size_t i = 0; i < n; i++) {
            const size_t bytes = block_bytes(&blocks[i]);
            if (blocks[i].peer != peer || bytes == 0)
                continue;
            struct message m = {.block = &blocks[i], .staged = !block_contiguous(&blocks[i])};
            m.first = *requests;
            m.pieces = pieces_of(bytes);
            *requests += m.pieces;
            if (m.staged)
                *staged_bytes += bytes;
            out[count++] = m;
        }
    }
    return count;
}

static void assign_data(struct message *messages, size_t n, char *staging) {
    for (size_t i = 0; i < n; i++) {
        struct message *m = &messages[i];
        m->data = m->staged ? staging : block_data(m->block);
        if (m->staged)
            staging += block_bytes(m->block);
    }
}

static void init_requests(struct mpi_plan *plan, const struct message *messages, size_t n,
                          bool sending) {
    struct pairwise *pw = plan->state;
    for (size_t i = 0; i < n; i++) {
        const struct message *m = &messages[i];
        size_t left = block_bytes(m->block);
        for (size_t p = 0; p < m->pieces; p++) {
            const size_t bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
            char *data = m->data + p * PIECE_BYTES;
            MPI_Request *request = &pw->requests[m->first + p];
            if (sending) {
                MPI_Send_init(data, (int)bytes, MPI_BYTE, m->block->peer, plan->tag,
                              plan->group->comm, request);
            } else {
                MPI_Recv_init(data, (int)bytes, MPI_BYTE, m->block->peer, plan->tag,
                              plan->group->comm, request);
                pw->message_of[m->first + p] = i;
            }
            left -= bytes;
        }
    }
}

static char *stage(struct mpi_plan *plan, size_t bytes, enum status *st) {
    if (bytes == 0)
        return NULL;
    char *staging = mem_alloc(plan->base.transport->ledger, MEM_EXCHANGE, bytes);
    if (!staging)
        *st = ST_ENV;
    return staging;
}

static enum status pairwise_create(struct mpi_plan *plan) {
    struct pairwise *pw = calloc(1, sizeof *pw);
    if (!pw)
        return fail(ST_ENV, "out of memory for an exchange plan");
    plan->state = pw;
    pw->send = calloc(plan->n_send + 1, sizeof *pw->send);
    pw->recv = calloc(plan->n_recv + 1, sizeof *pw->recv);
    if (!pw->send || !pw->recv)
        return fail(ST_ENV, "out of memory for an exchange plan");

    size_t staged_recv = 0, staged_send = 0;
    pw->n_recv = list_messages(plan->recv, plan->n_recv, plan->group, -1, pw->recv, &pw->n_requests,
                               &staged_recv);
    pw->n_recv_requests = pw->n_requests;
    pw->n_send = list_messages(plan->send, plan->n_send, plan->group, 1, pw->send, &pw->n_requests,
                               &staged_send);

    enum status st = ST_OK;
    plan->staging_send = stage(plan, staged_send, &st);
    plan->staging_recv = stage(plan, staged_recv, &st);
    pw->requests = malloc((pw->n_requests + 1) * sizeof *pw->requests);
    pw->message_of = calloc(pw->n_recv_requests + 1, sizeof *pw->message_of);
    pw->indices = calloc(pw->n_requests + 1, sizeof *pw->indices);
    if (!pw->requests || !pw->message_of || !pw->indices)
        st = fail(ST_ENV, "out of memory for an exchange plan");
    if (st != ST_OK) {
        pw->n_requests = 0; /* none was initialised */
        return st;
    }
    assign_data(pw->send, pw->n_send, plan->staging_send);
    assign_data(pw->recv, pw->n_recv, plan->staging_recv);
    init_requests(plan, pw->recv, pw->n_recv, false);
    init_requests(plan, pw->send, pw->n_send, true);
    return ST_OK;
}

static void pairwise_destroy(struct mpi_plan *plan) {
    struct pairwise *pw = plan->state;
    if (!pw)
        return;
    for (size_t i = 0; pw->requests && i < pw->n_requests; i++)
        MPI_Request_free(&pw->requests[i]);
    free(pw->indices);
    free(pw->message_of);
    free(pw->requests);
    free(pw->recv);
    free(pw->send);
    free(pw);
}

/* The i-th own send block fills the i-th own receive block. */
static void copy_own(const struct mpi_plan *plan) {
    const int self = plan->group->rank;
    size_t r = 0;
    for (size_t s = 0; s < plan->n_send; s++) {
        if (plan->send[s].peer != self)
            continue;
        while (r < plan->n_recv && plan->recv[r].peer != self)
            r++;
        if (r == plan->n_recv)
            return;
        block_copy(&plan->recv[r++], &plan->send[s]);
    }
}

static void pairwise_start(struct mpi_plan *plan) {
    struct pairwise *pw = plan->state;
    struct trace *trace = plan->base.transport->trace;
    for (size_t i = 0; i < pw->n_recv; i++)
        pw->recv[i].open = pw->recv[i].pieces;
    pw->open = pw->n_requests;
    if (pw->n_recv_requests > 0)
        MPI_Startall((int)pw->n_recv_requests, pw->requests);
    for (size_t i = 0; i < pw->n_send; i++) {
        const struct message *m = &pw->send[i];
        if (m->staged) {
            trace_begin(trace, PHASE_PACK);
            block_pack(m->block, m->data);
            trace_end(trace);
        }
        MPI_Startall((int)m->pieces, &pw->requests[m->first]);
        plan->base.transport->sent[plan->base.traffic] += block_bytes(m->block);
    }
    if (plan->base.own_bytes > 0) {
        trace_begin(trace, PHASE_PACK);
        copy_own(plan);
        trace_end(trace);
    }
}

/* A message whose last piece arrived goes to its rows at once, while others are on their way. */
static void arrived(struct mpi_plan *plan, size_t request) {
    struct pairwise *pw = plan->state;
    if (request >= pw->n_recv_requests)
        return;
    struct message *m = &pw->recv[pw->message_of[request]];
    if (--m->open > 0 || !m->staged)
        return;
    trace_begin(plan->base.transport->trace, PHASE_PACK);
    block_unpack(m->block, m->data);
    trace_end(plan->base.transport->trace);
}

static bool pairwise_progress(struct mpi_plan *plan) {
    struct pairwise *pw = plan->state;
    if (pw->open == 0)
        return true;
    int done = 0;
    MPI_Testsome((int)pw->n_requests, pw->requests, &done, pw->indices, MPI_STATUSES_IGNORE);
    if (done == MPI_UNDEFINED) /* no active request is left */
        done = 0;
    for (int i = 0; i < done; i++)
        arrived(plan, (size_t)pw->indices[i]);
    pw->open -= (size_t)done;
    return pw->open == 0;
}

const struct mpi_algorithm mpi_pairwise = {
    .name = "pairwise",
    .help = "one nonblocking message a block, own block copied directly",
    .create = pairwise_create,
    .start = pairwise_start,
    .progress = pairwise_progress,
    .destroy = pairwise_destroy,
};
