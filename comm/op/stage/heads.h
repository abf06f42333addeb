/* The tensors of operations that exchange tokens for heads (ulysses, usp): where they lie, what is
 * generated in them, and whether it arrived.
 *
 * Four tensors: Q, K, V and the attention output, or their gradients. Forward, Q, K, V go to the
 * head side and the output comes back; backward, its gradient goes and dQ, dK, dV come back. */
#ifndef SPB_COMM_OP_STAGE_HEADS_H
#define SPB_COMM_OP_STAGE_HEADS_H

#include "comm/op/stage/stage.h"

enum { HEAD_Q, HEAD_K, HEAD_V, HEAD_OUT, HEAD_TENSORS };

/* Buffers of a stage. The token side of tensor x is buffer x. On the head side K and V lie in one
 * buffer, one after the other, as they travel round a ring. */
enum {
    HEAD_SIDE_Q = HEAD_TENSORS,
    HEAD_SIDE_OUT,
    HEAD_SIDE_KV,
    HEAD_SIDE_KV_2,          /* usp forward: takes turns with it */
    RING_KV,                 /* usp backward: kept K/V, two buffers ... */
    RING_GRAD = RING_KV + 2, /* ... and dK/dV on their way home, two */
};

static inline bool head_tensor_kv(int x) {
    return x == HEAD_K || x == HEAD_V;
}

/* Does tensor x go from tokens to heads in this stage? Else it comes back. */
static inline bool head_tensor_goes(const struct op_stage *s, int x) {
    return s->backward == (x == HEAD_OUT);
}

/* The ranks that exchange heads: the whole group, or for usp a part of it. */
struct group *heads_group(struct op_stage *s);

/* The two sides of tensor x as the exchange needs them. */
struct ulysses_tensor heads_sides(const struct op_stage *s, int x);

/* Bytes of one tensor on either side of this rank; on the token side with the slots of replicas'
 * gradients and the sum behind them. */
size_t heads_token_bytes(struct op_stage *s, int x);
size_t heads_head_bytes(struct op_stage *s, int x);

/* Sources generated, destinations poisoned. */
void heads_fill(struct op_stage *s);

/* Adds up the gradients of replicated K/V heads where the tokens live. */
void heads_sum_replicas(struct op_stage *s);

/* Wrong elements of what has arrived on either side. */
uint64_t heads_wrong(struct op_stage *s);
uint64_t heads_tokens_wrong(struct op_stage *s);

/* The K and V that a rank of the ring has after the exchange, [K, V][batch, group_tokens, the
 * rank's KV heads, head_dim]: generates those of this rank at data, or counts the wrong elements of
 * those of ring_rank. grad: dK and dV on their way home, in the gradients' type. */
void heads_block_fill(struct op_stage *s, bool grad, void *data);
uint64_t heads_block_wrong(struct op_stage *s, bool grad, int ring_rank, const void *data);

#endif
