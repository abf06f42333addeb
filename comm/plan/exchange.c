#include "comm/plan/exchange.h"

#include <stdlib.h>

static struct block run(int peer, const struct buffer *buffer, size_t offset, size_t bytes) {
    return (struct block){peer, buffer, offset, 1, bytes, bytes};
}

/* A plan in which each rank sends n blocks to and receives n from every rank, filled by the caller.
 */
struct block_lists {
    struct block *send, *recv;
    size_t n;
};

/* Collective: a rank without memory keeps the others from planning. */
static enum status lists_alloc(struct block_lists *lists, const struct group *group, size_t n) {
    *lists =
        (struct block_lists){calloc(n, sizeof(struct block)), calloc(n, sizeof(struct block)), n};
    const bool ok = lists->send && lists->recv;
    const enum status st = group_agree(
        group, ok ? ST_OK : fail(ST_ENV, "out of memory for the %zu blocks of an exchange", n));
    if (st != ST_OK) {
        free(lists->recv);
        free(lists->send);
    }
    return st;
}

static enum status lists_plan(struct block_lists *lists, struct transport *t, struct group *group,
                              enum traffic traffic, struct plan **out) {
    const struct plan_spec spec = {group, traffic, lists->send, lists->recv, lists->n, lists->n};
    const enum status st = plan_create(t, &spec, out);
    free(lists->send);
    free(lists->recv);
    return st;
}

/* To each rank q the piece of send at offset + q * step, from each rank p a piece into recv's p-th
 * place. */
static enum status pieces_plan(struct transport *t, struct group *group, enum traffic traffic,
                               const struct buffer *send, size_t send_offset, size_t send_step,
                               const struct buffer *recv, size_t recv_offset, size_t bytes,
                               struct plan **out) {
    struct block_lists lists;
    *out = NULL;
    const enum status st = lists_alloc(&lists, group, (size_t)group->size);
    if (st != ST_OK)
        return st;
    for (int q = 0; q < group->size; q++) {
        lists.send[q] = run(q, send, send_offset + (size_t)q * send_step, bytes);
        lists.recv[q] = run(q, recv, recv_offset + (size_t)q * bytes, bytes);
    }
    return lists_plan(&lists, t, group, traffic, out);
}

enum status alltoall_plan(struct transport *t, struct group *group, const struct buffer *send,
                          const struct buffer *recv, size_t bytes_per_peer, struct plan **out) {
    return pieces_plan(t, group, TRAFFIC_SP, send, 0, bytes_per_peer, recv, 0, bytes_per_peer, out);
}

static int ring_neighbour(const struct group *group, int step) {
    return (group->rank + step + group->size) % group->size;
}

enum status ring_hop_plan(struct transport *t, struct group *group, const struct buffer *from,
                          const struct buffer *to, struct plan **out) {
    const struct block send = run(ring_neighbour(group, 1), from, 0, from->bytes);
    const struct block recv = run(ring_neighbour(group, -1), to, 0, to->bytes);
    const struct plan_spec spec = {group, TRAFFIC_SP, &send, &recv, 1, 1};
    return plan_create(t, &spec, out);
}

/* Of two ranks each is the other's next and previous one: the order of the halves tells them apart.
 */
enum status ring_hop_both_plan(struct transport *t, struct group *group, const struct buffer *from,
                               const struct buffer *to, struct plan **out) {
    const int next = ring_neighbour(group, 1), previous = ring_neighbour(group, -1);
    const size_t half = from->bytes / 2;
    const struct block send[] = {run(next, from, 0, half), run(previous, from, half, half)};
    const struct block recv[] = {run(previous, to, 0, half), run(next, to, half, half)};
    const struct plan_spec spec = {group, TRAFFIC_SP, send, recv, 2, 2};
    return plan_create(t, &spec, out);
}

enum status allgather_plan(struct transport *t, struct group *group, enum traffic traffic,
                           const struct buffer *shard, size_t shard_offset,
                           const struct buffer *whole, size_t whole_offset, size_t shard_bytes,
                           struct plan **out) {
    return pieces_plan(t, group, traffic, shard, shard_offset, 0, whole, whole_offset, shard_bytes,
                       out);
}

enum status reduce_scatter_plan(struct transport *t, struct group *group, enum traffic traffic,
                                const struct buffer *whole, size_t whole_offset,
                                const struct buffer *staging, size_t shard_bytes,
                                struct plan **out) {
    return pieces_plan(t, group, traffic, whole, whole_offset, shard_bytes, staging, 0, shard_bytes,
                       out);
}

/* heads [first, first + count) of all local tokens, as they lie on the token side. */
static struct block token_side(const struct sp_shape *s, const struct ulysses_tensor *x, int peer,
                               int first, int count, size_t slot) {
    const size_t head_bytes = (size_t)s->head_dim * s->elem_bytes;
    const size_t heads = (size_t)(x->kv ? s->kv_heads : s->heads);
    const size_t rows = (size_t)s->batch * local_tokens(s);
    const size_t row = heads * head_bytes;
    return (struct block){peer,
                          x->seq_side,
                          x->seq_offset + slot * rows * row + (size_t)first * head_bytes,
                          rows,
                          (size_t)count * head_bytes,
                          row};
}

/* The tokens of rank peer with this rank's count heads, as they lie on the head side. */
static struct block head_side(const struct sp_shape *s, const struct ulysses_tensor *x, int peer,
                              int count) {
    const size_t token_bytes = (size_t)count * (size_t)s->head_dim * s->elem_bytes;
    const size_t part = local_tokens(s) * token_bytes;
    return (struct block){peer,
                          x->head_side,
                          x->head_offset + (size_t)peer * part,
                          (size_t)s->batch,
                          part,
                          (size_t)s->ulysses_size * part};
}

static enum status ulysses_plan(struct transport *t, struct group *group, const struct sp_shape *s,
                                const struct ulysses_tensor *tensors, int n_tensors, bool to_heads,
                                struct plan **out) {
    struct block_lists lists;
    *out = NULL;
    const enum status st = lists_alloc(&lists, group, (size_t)group->size * (size_t)n_tensors);
    if (st != ST_OK)
        return st;
    const struct head_share mine = head_share(s->heads, s->kv_heads, group->size, group->rank);
    const int slots = kv_replica_slots(s->heads, s->kv_heads, group->size);
    size_t i = 0;
    for (int q = 0; q < group->size; q++) {
        const struct head_share theirs = head_share(s->heads, s->kv_heads, group->size, q);
        for (int x = 0; x < n_tensors; x++, i++) {
            const bool kv = tensors[x].kv;
            const size_t slot = to_heads || !kv ? 0 : (size_t)kv_replica_slot(slots, q);
            const struct block tokens = token_side(s, &tensors[x], q, kv ? theirs.kv0 : theirs.q0,
                                                   kv ? theirs.nkv : theirs.nq, slot);
            const struct block heads = head_side(s, &tensors[x], q, kv ? mine.nkv : mine.nq);
            lists.send[i] = to_heads ? tokens : heads;
            lists.recv[i] = to_heads ? heads : tokens;
        }
    }
    return lists_plan(&lists, t, group, TRAFFIC_SP, out);
}

enum status ulysses_to_heads_plan(struct transport *t, struct group *group,
                                  const struct sp_shape *s, const struct ulysses_tensor *tensors,
                                  int n_tensors, struct plan **out) {
    return ulysses_plan(t, group, s, tensors, n_tensors, true, out);
}

enum status ulysses_to_tokens_plan(struct transport *t, struct group *group,
                                   const struct sp_shape *s, const struct ulysses_tensor *tensors,
                                   int n_tensors, struct plan **out) {
    return ulysses_plan(t, group, s, tensors, n_tensors, false, out);
}
