/* The shape of a sequence-parallel attention problem as the exchanges see it, and who gets which
 * heads. */
#ifndef SPB_COMM_SHAPE_SHAPE_H
#define SPB_COMM_SHAPE_SHAPE_H

#include <stddef.h>

/* One data-parallel group's problem. sp_size = ulysses_size x ring_size. */
struct sp_shape {
    int batch;
    size_t seq; /* global tokens */
    int heads, kv_heads, head_dim;
    int sp_size, ulysses_size, ring_size;
    size_t elem_bytes; /* of Q, K, V, O and their gradients in an all-to-all */
    size_t grad_bytes; /* of dK, dV on the ring's wire (--grad-dtype) */
};

/* The heads of one Ulysses rank: query heads [q0, q0 + nq), and the key/value heads they read. */
struct head_share {
    int q0, nq;
    int kv0, nkv;
};

/* Query heads in rank order, as even as can be; KV head of query head h is h / (heads / kv_heads).
 */
struct head_share head_share(int heads, int kv_heads, int ulysses_size, int rank);

/* How many ranks' gradients at most meet at one KV head: 1 without replication. */
int kv_replica_slots(int heads, int kv_heads, int ulysses_size);

/* Which of those slots a rank's contribution takes: no two ranks that share a head share a slot. */
int kv_replica_slot(int slots, int rank);

/* Tokens of one rank, and bytes of one rank's Q (or O), and of its K and V together. */
size_t local_tokens(const struct sp_shape *s);
size_t local_q_bytes(const struct sp_shape *s);
size_t local_kv_bytes(const struct sp_shape *s);

/* Tokens of a Ulysses group, and bytes of K and V together of one of its ranks after the exchange:
 * all of those tokens, the KV heads of its share. */
size_t group_tokens(const struct sp_shape *s);
size_t share_kv_bytes(const struct sp_shape *s, int ulysses_rank);

#endif
