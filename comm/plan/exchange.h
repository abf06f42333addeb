/* The exchanges of sequence parallelism as plans: each is a list of blocks, and nothing else.
 *
 * All functions are collective over the group and leave *out NULL when they fail. Offsets and sizes
 * are bytes. The caller owns the buffers, which outlive the plan, and frees the plan. */
#ifndef SPB_COMM_PLAN_EXCHANGE_H
#define SPB_COMM_PLAN_EXCHANGE_H

#include "comm/plan/plan.h"
#include "comm/shape/shape.h"

/* Equal blocks: block q of send goes to rank q, block p of recv comes from rank p. */
enum status alltoall_plan(struct transport *t, struct group *group, const struct buffer *send,
                          const struct buffer *recv, size_t bytes_per_peer, struct plan **out);

/* from, whole, to the next rank of the ring; to, whole, from the previous one. */
enum status ring_hop_plan(struct transport *t, struct group *group, const struct buffer *from,
                          const struct buffer *to, struct plan **out);

/* The same in both directions at once: the first half of from to the next rank, the second one to
 * the previous rank. Both buffers have the same, even size. */
enum status ring_hop_both_plan(struct transport *t, struct group *group, const struct buffer *from,
                               const struct buffer *to, struct plan **out);

/* Every rank's shard into whole, in rank order; whole holds size * shard_bytes from whole_offset.
 */
enum status allgather_plan(struct transport *t, struct group *group, enum traffic traffic,
                           const struct buffer *shard, size_t shard_offset,
                           const struct buffer *whole, size_t whole_offset, size_t shard_bytes,
                           struct plan **out);

/* Shard q of every rank's whole to rank q: slot p of staging receives rank p's (the own one too).
 * The caller then adds the size slots up, in rank order, so that the sum does not depend on timing.
 */
enum status reduce_scatter_plan(struct transport *t, struct group *group, enum traffic traffic,
                                const struct buffer *whole, size_t whole_offset,
                                const struct buffer *staging, size_t shard_bytes,
                                struct plan **out);

/* One tensor of a Ulysses exchange. seq side: [batch, tokens / sp, all heads, head_dim];
 * head side: [batch, tokens, the rank's heads, head_dim]. */
struct ulysses_tensor {
    const struct buffer *seq_side;
    size_t seq_offset;
    const struct buffer *head_side;
    size_t head_offset;
    bool kv; /* key/value heads, replicated where kv_heads < ulysses_size */
};

/* "A slice of tokens, all heads" -> "all tokens, a slice of heads", all tensors in one exchange. */
enum status ulysses_to_heads_plan(struct transport *t, struct group *group,
                                  const struct sp_shape *s, const struct ulysses_tensor *tensors,
                                  int n_tensors, struct plan **out);

/* The way back. The seq side of a kv tensor (gradients) consists of kv_replica_slots() copies of
 * the tensor, one after the other, which the caller adds up; slots that no rank writes keep their
 * content, so they are zeroed once. */
enum status ulysses_to_tokens_plan(struct transport *t, struct group *group,
                                   const struct sp_shape *s, const struct ulysses_tensor *tensors,
                                   int n_tensors, struct plan **out);

#endif
