/* What usp takes over from the ulysses operation. All of it works on the stage's heads_group(). */
#ifndef SPB_COMM_OP_STAGE_ULYSSES_H
#define SPB_COMM_OP_STAGE_ULYSSES_H

#include "comm/op/stage/heads.h"

/* Needs a model's shape with a query head for each of the ulysses_size ranks. */
bool ulysses_supports(const struct op_params *p, int ulysses_size, char *why, size_t why_size);

/* The largest send buffer of any rank: what it sends of Q, K and V (replicas counted as often as
 * they are sent) and its O, or its dO and its share of dQ, dK and dV. */
size_t ulysses_send_buffer(const struct op_params *p, bool backward);

/* Both sides of the four tensors, the slots of replicas' gradients with their sum, and packed
 * copies; how: of the Ulysses group. */
size_t ulysses_memory(const struct op_params *p, int ulysses_rank, const struct staging *how,
                      bool backward);

/* Buffers and plans 0 .. ULYSSES_PLANS - 1. */
enum { ULYSSES_PLANS = 4 };
enum status ulysses_create(struct op_stage *s);

/* One after the other: what goes to the head side, and what comes back, replicas summed. */
void ulysses_to_heads(struct op_stage *s);
void ulysses_to_tokens(struct op_stage *s);

#endif
