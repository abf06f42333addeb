/* Plans of one host are connected by swapping descriptors, only between ranks that exchange data:
 * first who they are and where their flags lie, then, to the one that copies, where the other's
 * blocks lie. That one maps the other's buffers and pairs the blocks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/plan/block.h"
#include "comm/transport/shm/plan.h"

struct hello {
    int32_t pid;
    int32_t bell_fd, flags_fd;
    uint32_t ack; /* which of the flags who gets this raises; 0: none */
    uint64_t n_flags;
    uint64_t n_blocks; /* that follow */
};

/* A block, as the rank that copies from it or into it has to know it. */
struct wire_block {
    int32_t fd;
    int32_t unused;
    uint64_t segment_bytes, offset; /* of the segment with that fd, and in it */
    uint64_t rows, row_bytes, stride;
};

struct peer {
    int rank;
    bool partner, mover; /* this rank copies from or into the peer's memory; the other way round */
    struct hello mine, theirs;
    struct wire_block *out, *in;
};

/* One side of a plan. */
struct side {
    const struct block *blocks;
    size_t n;
};

/* What this rank lays open to movers, and what it copies itself. */
static struct side open_side(const struct plan_spec *spec, bool push) {
    return push ? (struct side){spec->recv, spec->n_recv} : (struct side){spec->send, spec->n_send};
}

static struct side copied_side(const struct plan_spec *spec, bool push) {
    return open_side(spec, !push);
}

/* The ranks that this one exchanges data with, by rising distance. */
static size_t list_peers(const struct group *g, const struct peer_bytes *bytes, bool push,
                         struct peer *peers) {
    const uint64_t *copied = push ? bytes->send : bytes->recv;
    const uint64_t *open = push ? bytes->recv : bytes->send;
    size_t n = 0;
    for (int distance = 1; distance < g->size; distance++) {
        const int p = (g->rank + distance) % g->size;
        if (copied[p] > 0 || open[p] > 0)
            peers[n++] = (struct peer){.rank = p, .partner = copied[p] > 0, .mover = open[p] > 0};
    }
    return n;
}

/* The blocks that are open to peer, in order; empty ones are left out on both sides. */
static enum status describe_blocks(struct side open, struct peer *peer) {
    size_t n = 0;
    for (size_t i = 0; i < open.n; i++)
        n += open.blocks[i].peer == peer->rank && block_bytes(&open.blocks[i]) > 0;
    peer->mine.n_blocks = n;
    peer->out = calloc(n + 1, sizeof *peer->out);
    if (!peer->out)
        return fail(ST_ENV, "out of memory for the %zu blocks of an exchange", n);
    struct wire_block *w = peer->out;
    for (size_t i = 0; i < open.n; i++) {
        const struct block *b = &open.blocks[i];
        if (b->peer != peer->rank || block_bytes(b) == 0)
            continue;
        const struct shm_buffer *buffer = b->buffer->handle;
        if (!buffer)
            return fail(ST_ENV, "a buffer of an exchange was not allocated by its transport");
        const struct shm_piece piece = buffer->piece;
        *w++ = (struct wire_block){.fd = piece.slab->segment.fd,
                                   .segment_bytes = piece.slab->segment.bytes,
                                   .offset = piece.offset + b->offset,
                                   .rows = b->rows,
                                   .row_bytes = b->row_bytes,
                                   .stride = b->stride};
    }
    return ST_OK;
}

/* Both rounds of descriptors. */
static enum status swap_descriptors(const struct group *g, struct peer *peers, size_t n) {
    struct parcel *parcels = calloc(n + 1, sizeof *parcels);
    enum status st = parcels ? ST_OK : fail(ST_ENV, "out of memory for %zu peers", n);
    for (size_t i = 0; i < n && st == ST_OK; i++)
        parcels[i] = (struct parcel){peers[i].rank, &peers[i].mine, &peers[i].theirs,
                                     sizeof(struct hello), sizeof(struct hello)};
    st = group_swap_parcels(g, st, parcels, n);
    if (st != ST_OK) {
        free(parcels);
        return st;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t blocks = peers[i].theirs.n_blocks;
        peers[i].in = calloc(blocks + 1, sizeof *peers[i].in);
        if (!peers[i].in)
            st = fail(ST_ENV, "out of memory for the blocks of an exchange");
        parcels[i] = (struct parcel){peers[i].rank, peers[i].out, peers[i].in,
                                     peers[i].mine.n_blocks * sizeof(struct wire_block),
                                     blocks * sizeof(struct wire_block)};
    }
    st = group_swap_parcels(g, st, parcels, n);
    free(parcels);
    return st;
}

/* Maps a peer's segment for as long as the plan lives. */
static enum status attach(struct shm_plan *plan, int pid, int fd, size_t bytes, bool writable,
                          void **data) {
    struct shm_segment *grown =
        realloc(plan->attached, (plan->n_attached + 1) * sizeof *plan->attached);
    if (!grown)
        return fail(ST_ENV, "out of memory for an exchange plan");
    plan->attached = grown;
    struct shm_segment *s = &plan->attached[plan->n_attached];
    const enum status st = shm_segment_attach(pid, fd, bytes, writable, s);
    if (st != ST_OK)
        return st;
    plan->n_attached++;
    *data = s->data;
    return ST_OK;
}

/* The segments of a peer's blocks, each mapped once: data[i] is where block i's begins. */
static enum status attach_segments(struct shm_plan *plan, const struct peer *peer, void **data) {
    for (size_t i = 0; i < peer->theirs.n_blocks; i++) {
        const struct wire_block *w = &peer->in[i];
        for (size_t k = 0; k < i && !data[i]; k++)
            if (peer->in[k].fd == w->fd)
                data[i] = data[k];
        const enum status st =
            data[i] ? ST_OK
                    : attach(plan, peer->theirs.pid, w->fd, w->segment_bytes, plan->push, &data[i]);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

/* The next block of peer rank that is not empty; *at moves behind it. */
static const struct block *next_block(struct side side, int rank, size_t *at) {
    while (*at < side.n) {
        const struct block *b = &side.blocks[(*at)++];
        if (b->peer == rank && block_bytes(b) > 0)
            return b;
    }
    return NULL;
}

static enum status mismatch(int from, int to, size_t k) {
    return fail(ST_ENV,
                "exchange plan: block %zu from rank %d is not what rank %d expects; this is a bug "
                "in the exchange",
                k, from, to);
}

/* The k-th block of the peer belongs to the k-th one here. */
static enum status pair_blocks(const struct plan_spec *spec, bool push, const struct peer *peer,
                               void *const *data, struct copy_list *copies) {
    const int self = spec->group->rank;
    size_t at = 0;
    for (size_t k = 0; k < peer->theirs.n_blocks; k++) {
        const struct wire_block *w = &peer->in[k];
        const struct buffer buffer = {data[k], w->segment_bytes, NULL};
        const struct block there = {self, &buffer, w->offset, w->rows, w->row_bytes, w->stride};
        const struct block *here = next_block(copied_side(spec, push), peer->rank, &at);
        if (!here || block_bytes(here) != block_bytes(&there))
            return mismatch(push ? self : peer->rank, push ? peer->rank : self, k);
        const enum status st =
            push ? copy_list_add(copies, &there, here) : copy_list_add(copies, here, &there);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static enum status pair_own_blocks(const struct plan_spec *spec, struct copy_list *copies) {
    const struct side send = open_side(spec, false), recv = open_side(spec, true);
    const int self = spec->group->rank;
    size_t from = 0, to = 0;
    const struct block *src = NULL;
    for (size_t k = 0; (src = next_block(send, self, &from)) != NULL; k++) {
        const struct block *dst = next_block(recv, self, &to);
        if (!dst || block_bytes(dst) != block_bytes(src))
            return mismatch(self, self, k);
        const enum status st = copy_list_add(copies, dst, src);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static enum status add_partner(struct shm_plan *plan, const struct plan_spec *spec,
                               const struct peer *peer, struct shm_flag *flags,
                               struct shm_bell *bell) {
    void **data = calloc(peer->theirs.n_blocks + 1, sizeof *data);
    if (!data)
        return fail(ST_ENV, "out of memory for an exchange plan");
    struct shm_partner *partner = &plan->partners[plan->n_partners++];
    partner->ready = &flags[0];
    partner->ack = &flags[peer->theirs.ack];
    partner->bell = bell;
    enum status st = attach_segments(plan, peer, data);
    if (st == ST_OK)
        st = pair_blocks(spec, plan->push, peer, data, plan->push ? &plan->own : &partner->copies);
    free(data);
    return st;
}

/* Maps what peer's hello names, and enters it as partner and mover. */
static enum status join(struct shm_plan *plan, const struct plan_spec *spec,
                        const struct peer *peer) {
    const struct hello *h = &peer->theirs;
    void *flags = NULL, *bell = NULL;
    enum status st =
        attach(plan, h->pid, h->flags_fd, h->n_flags * sizeof(struct shm_flag), true, &flags);
    if (st == ST_OK)
        st = attach(plan, h->pid, h->bell_fd, sizeof(struct shm_bell), true, &bell);
    if (st == ST_OK && peer->mover)
        plan->movers[plan->n_movers++] =
            (struct shm_mover){shm_plan_flag(plan, peer->mine.ack), bell};
    if (st == ST_OK && peer->partner)
        st = add_partner(plan, spec, peer, flags, bell);
    return st;
}

/* What this rank says to each peer, and its own flags. */
static enum status prepare(struct shm_plan *plan, const struct plan_spec *spec, struct peer *peers,
                           size_t n) {
    const struct shm_transport *t = (const struct shm_transport *)plan->base.transport;
    enum status st = ST_OK;
    uint32_t n_flags = 1;
    for (size_t i = 0; i < n; i++)
        if (peers[i].mover)
            peers[i].mine.ack = n_flags++;
    st = shm_segment_create(n_flags * sizeof(struct shm_flag), &plan->flags);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        peers[i].mine.pid = (int32_t)getpid();
        peers[i].mine.bell_fd = t->bell.fd;
        peers[i].mine.flags_fd = plan->flags.fd;
        peers[i].mine.n_flags = n_flags;
        st = describe_blocks(open_side(spec, plan->push), &peers[i]);
    }
    plan->partners = calloc(n + 1, sizeof *plan->partners);
    plan->movers = calloc(n + 1, sizeof *plan->movers);
    plan->pending = calloc(n + 1, sizeof *plan->pending);
    if (!plan->partners || !plan->movers || !plan->pending)
        st = fail(ST_ENV, "out of memory for an exchange plan");
    return st;
}

enum status shm_connect(struct shm_plan *plan, const struct plan_spec *spec,
                        const struct peer_bytes *bytes) {
    const struct group *g = spec->group;
    size_t n = 0;
    struct peer *peers = calloc((size_t)g->size, sizeof *peers);
    enum status st = peers ? ST_OK : fail(ST_ENV, "out of memory for an exchange plan");
    if (st == ST_OK) {
        n = list_peers(g, bytes, plan->push, peers);
        st = prepare(plan, spec, peers, n);
    }
    st = group_agree(g, st);
    if (st == ST_OK)
        st = swap_descriptors(g, peers, n);
    if (st == ST_OK)
        st = pair_own_blocks(spec, &plan->own);
    for (size_t i = 0; i < n && st == ST_OK; i++)
        st = join(plan, spec, &peers[i]);
    if (plan->push)
        copy_list_weave(&plan->own);
    for (size_t i = 0; i < n; i++) {
        free(peers[i].in);
        free(peers[i].out);
    }
    free(peers);
    return st;
}

void shm_disconnect(struct shm_plan *plan) {
    for (size_t i = 0; i < plan->n_partners; i++)
        copy_list_free(&plan->partners[i].copies);
    copy_list_free(&plan->own);
    for (size_t i = 0; i < plan->n_attached; i++)
        shm_segment_free(&plan->attached[i]);
    free(plan->attached);
    free(plan->pending);
    free(plan->movers);
    free(plan->partners);
    shm_segment_free(&plan->flags);
}
