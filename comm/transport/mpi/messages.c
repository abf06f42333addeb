/* One nonblocking message a block, in two rows of the table: contiguous blocks travel in place,
 * strided ones through a packed copy on the side that needs it (pairwise) or as a derived datatype,
 * whose packing is the library's (datatype); the rank's own blocks are copied directly. Receives
 * are posted first, sends go to the next rank upward first, so that no rank is everybody's first
 * target. */
#include <stdlib.h>
#include <string.h>

#include "comm/copy/strided.h"
#include "comm/ranks/communicator.h"
#include "comm/transport/mpi/block_type.h"
#include "comm/transport/mpi/plan.h"

/* A block longer than an MPI count can say travels in pieces. */
static const size_t PIECE_BYTES = (size_t)1 << 30;

struct message {
    const struct block *block;
    char *data;    /* what MPI sends or fills */
    bool staged;   /* data is a packed copy */
    bool typed;    /* data are the block's rows, described by derived datatypes */
    size_t first;  /* its first request */
    size_t pieces; /* its number of requests */
    size_t open;   /* pieces that have not arrived */
};

struct messages {
    bool typed; /* strided blocks are described, not packed */
    struct message *send, *recv;
    size_t n_send, n_recv;
    MPI_Request *requests; /* persistent: receives first, then sends */
    MPI_Datatype *types;   /* of each request, MPI_DATATYPE_NULL where it has none of its own */
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
static size_t list_messages(const struct mpi_plan *plan, const struct block *blocks, size_t n,
                            int direction, struct message *out, size_t *requests,
                            size_t *staged_bytes) {
    const struct group *g = plan->group;
    const bool typed = ((const struct messages *)plan->state)->typed;
    size_t count = 0;
    for (int distance = 1; distance < g->size; distance++) {
        const int peer = (g->rank + direction * distance + g->size) % g->size;
        for (size_t i = 0; i < n; i++) {
            const size_t bytes = block_bytes(&blocks[i]);
            if (blocks[i].peer != peer || bytes == 0)
                continue;
            const bool strided = !block_contiguous(&blocks[i]);
            struct message m = {
                .block = &blocks[i], .staged = strided && !typed, .typed = strided && typed};
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

/* One piece: bytes of the message from the byte `from` on. */
static void init_request(struct mpi_plan *plan, const struct message *m, size_t piece, size_t bytes,
                         bool sending) {
    struct messages *ms = plan->state;
    const size_t from = piece * PIECE_BYTES;
    const size_t unit = ms->typed ? plan->unit : 1;
    char *data = m->typed ? m->data : m->data + from;
    MPI_Datatype type = m->typed ? block_type(m->block, from, bytes, unit) : unit_type(unit);
    const int count = m->typed ? 1 : (int)(bytes / unit), peer = m->block->peer;
    MPI_Request *request = &ms->requests[m->first + piece];
    ms->types[m->first + piece] = m->typed ? type : MPI_DATATYPE_NULL;
    if (sending)
        MPI_Send_init(data, count, type, peer, plan->tag, group_comm(plan->group), request);
    else
        MPI_Recv_init(data, count, type, peer, plan->tag, group_comm(plan->group), request);
}

static void init_requests(struct mpi_plan *plan, const struct message *messages, size_t n,
                          bool sending) {
    struct messages *ms = plan->state;
    for (size_t i = 0; i < n; i++) {
        const struct message *m = &messages[i];
        size_t left = block_bytes(m->block);
        for (size_t p = 0; p < m->pieces; p++) {
            const size_t bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
            init_request(plan, m, p, bytes, sending);
            if (!sending)
                ms->message_of[m->first + p] = i;
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

static enum status messages_create(struct mpi_plan *plan, bool typed) {
    struct messages *ms = calloc(1, sizeof *ms);
    if (!ms)
        return fail(ST_ENV, "out of memory for an exchange plan");
    ms->typed = typed;
    plan->state = ms;
    ms->send = calloc(plan->n_send + 1, sizeof *ms->send);
    ms->recv = calloc(plan->n_recv + 1, sizeof *ms->recv);
    if (!ms->send || !ms->recv)
        return fail(ST_ENV, "out of memory for an exchange plan");

    size_t staged_recv = 0, staged_send = 0;
    ms->n_recv =
        list_messages(plan, plan->recv, plan->n_recv, -1, ms->recv, &ms->n_requests, &staged_recv);
    ms->n_recv_requests = ms->n_requests;
    ms->n_send =
        list_messages(plan, plan->send, plan->n_send, 1, ms->send, &ms->n_requests, &staged_send);

    enum status st = ST_OK;
    plan->staging_send = stage(plan, staged_send, &st);
    plan->staging_recv = stage(plan, staged_recv, &st);
    ms->requests = malloc((ms->n_requests + 1) * sizeof *ms->requests);
    ms->types = malloc((ms->n_requests + 1) * sizeof(MPI_Datatype));
    ms->message_of = calloc(ms->n_recv_requests + 1, sizeof *ms->message_of);
    ms->indices = calloc(ms->n_requests + 1, sizeof *ms->indices);
    if (!ms->requests || !ms->types || !ms->message_of || !ms->indices)
        st = fail(ST_ENV, "out of memory for an exchange plan");
    if (st != ST_OK) {
        ms->n_requests = 0; /* none was initialised */
        return st;
    }
    assign_data(ms->send, ms->n_send, plan->staging_send);
    assign_data(ms->recv, ms->n_recv, plan->staging_recv);
    init_requests(plan, ms->recv, ms->n_recv, false);
    init_requests(plan, ms->send, ms->n_send, true);
    return ST_OK;
}

static void messages_destroy(struct mpi_plan *plan) {
    struct messages *ms = plan->state;
    if (!ms)
        return;
    for (size_t i = 0; ms->requests && i < ms->n_requests; i++) {
        MPI_Request_free(&ms->requests[i]);
        if (ms->types[i] != MPI_DATATYPE_NULL)
            MPI_Type_free(&ms->types[i]);
    }
    free(ms->indices);
    free(ms->message_of);
    free(ms->types);
    free(ms->requests);
    free(ms->recv);
    free(ms->send);
    free(ms);
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

static void messages_start(struct mpi_plan *plan) {
    struct messages *ms = plan->state;
    struct trace *trace = plan->base.transport->trace;
    for (size_t i = 0; i < ms->n_recv; i++)
        ms->recv[i].open = ms->recv[i].pieces;
    ms->open = ms->n_requests;
    if (ms->n_recv_requests > 0)
        MPI_Startall((int)ms->n_recv_requests, ms->requests);
    for (size_t i = 0; i < ms->n_send; i++) {
        const struct message *m = &ms->send[i];
        if (m->staged) {
            trace_begin(trace, PHASE_PACK);
            block_pack(m->block, m->data);
            trace_end(trace);
        }
        MPI_Startall((int)m->pieces, &ms->requests[m->first]);
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
    struct messages *ms = plan->state;
    if (request >= ms->n_recv_requests)
        return;
    struct message *m = &ms->recv[ms->message_of[request]];
    if (--m->open > 0 || !m->staged)
        return;
    trace_begin(plan->base.transport->trace, PHASE_PACK);
    block_unpack(m->block, m->data);
    trace_end(plan->base.transport->trace);
}

static bool messages_progress(struct mpi_plan *plan) {
    struct messages *ms = plan->state;
    if (ms->open == 0)
        return true;
    int done = 0;
    MPI_Testsome((int)ms->n_requests, ms->requests, &done, ms->indices, MPI_STATUSES_IGNORE);
    if (done == MPI_UNDEFINED) /* no active request is left */
        done = 0;
    for (int i = 0; i < done; i++)
        arrived(plan, (size_t)ms->indices[i]);
    ms->open -= (size_t)done;
    return ms->open == 0;
}

static enum status pairwise_create(struct mpi_plan *plan) {
    return messages_create(plan, false);
}

static enum status datatype_create(struct mpi_plan *plan) {
    return messages_create(plan, true);
}

const struct mpi_algorithm mpi_pairwise = {
    .name = "pairwise",
    .help = "one nonblocking message a block, strided ones packed, own block copied directly",
    .stages = STAGED_STRIDED,
    .create = pairwise_create,
    .start = messages_start,
    .progress = messages_progress,
    .destroy = messages_destroy,
};

const struct mpi_algorithm mpi_datatype = {
    .name = "datatype",
    .help = "the same, strided blocks as MPI derived datatypes instead of packed",
    .for_strided = true,
    .stages = STAGED_NOTHING,
    .create = datatype_create,
    .start = messages_start,
    .progress = messages_progress,
    .destroy = messages_destroy,
};
