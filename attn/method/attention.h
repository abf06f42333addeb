/* Attention of one rank, by whatever method. */
#ifndef SPB_ATTN_METHOD_ATTENTION_H
#define SPB_ATTN_METHOD_ATTENTION_H

#include "attn/method/parts/tensors.h"

/* Allocates the tensors and sets the method up, or local where it comes to that. Collective over
 * sp. Freed by attention_close(), also after a failure. */
enum status attention_open(struct attention *a, const struct problem *problem,
                           const struct sp_method *method, struct compute *compute,
                           struct transport *transport, struct group *sp,
                           struct mem_ledger *ledger);
void attention_close(struct attention *a);

/* Of q and kv, or of dout, this part is complete: it may set out while something else is computed.
 * All parts of a pass are announced, or none. */
void attention_ready(struct attention *a, enum attn_part part);

/* q, kv -> o; and dout -> dq, dkv (which are overwritten). */
void attention_forward(struct attention *a);
void attention_backward(struct attention *a);

/* Gradients reach dq and dkv one after the other: waits for the i-th, which is returned. After
 * attention_backward() for i = 0, 1, 2. */
enum attn_part attention_arrival(struct attention *a, int i);

struct lse_view attention_lse(const struct attention *a);

#endif
