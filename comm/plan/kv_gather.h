/* Exchanges of the K/V heads of all ranks of a group: gathered whole on each, and their gradients
 * back to where the tokens live. Some of the heads at a time, to bound memory. */
#ifndef SPB_COMM_PLAN_KV_GATHER_H
#define SPB_COMM_PLAN_KV_GATHER_H

#include "comm/plan/plan.h"

/* Heads [head0, head0 + n) of kv_heads, of `tokens` tokens of each rank. */
struct kv_heads {
    int batch, tokens, head_dim;
    int kv_heads;
    int head0, n;
};

/* Elements of K and V together, of these heads and one rank's tokens. */
size_t kv_heads_elements(const struct kv_heads *h);

/* Of kv (K then V, each [batch, tokens, kv_heads, head_dim]) the heads, to every rank's whole (K
 * then V, each [batch, size x tokens, n, head_dim], tokens in rank order). Collective. */
enum status kv_gather_plan(struct transport *t, struct group *group, const struct kv_heads *h,
                           size_t elem_bytes, const struct buffer *kv, const struct buffer *whole,
                           struct plan **out);

/* The way back, of gradients: each rank's contribution to the tokens of rank p from whole (as
 * above) to a slot of rank p's slots, [size] times K then V of [batch, tokens, n, head_dim]. The
 * caller adds them up in rank order. Collective. */
enum status kv_scatter_plan(struct transport *t, struct group *group, const struct kv_heads *h,
                            size_t elem_bytes, const struct buffer *whole,
                            const struct buffer *slots, struct plan **out);

#endif
