/* Unified sequence parallelism (Fang and Zhao, "USP", 2024): sp_size = ulysses_size x ring_size. An
 * exchange of heads inside a Ulysses group, then a ring over the ranks that have the same heads.
 * With a ring of one it is Ulysses, with Ulysses groups of one it is Ring Attention, with both it
 * is local attention: the rows of these methods differ in names, defaults and limits alone. */
#ifndef SPB_ATTN_METHOD_PARTS_UNIFIED_H
#define SPB_ATTN_METHOD_PARTS_UNIFIED_H

#include "attn/method/method.h"

/* Zigzag under a causal mask, which is what makes a ring's ranks work equally long. */
enum layout unified_balanced_layout(const struct problem *p);
enum layout unified_contiguous_layout(const struct problem *p);

/* Whether each Ulysses rank gets a head; if not, why. */
bool unified_heads_suffice(const struct problem *p, char *why, size_t why_size);

size_t unified_volume(const struct problem *p, int sp_rank);
void unified_memory(const struct problem *p, const struct predict_env *env,
                    struct mem_predict *out);
struct attn_args unified_piece(const struct problem *p, int sp_rank);
enum status unified_open(struct attention *a);
void unified_close(struct attention *a);
void unified_ready(struct attention *a, enum attn_part part);
void unified_forward(struct attention *a);
void unified_backward(struct attention *a);
enum attn_part unified_arrival(struct attention *a, int i);
struct lse_view unified_lse(const struct attention *a);

/* What the rows have in common. */
#define UNIFIED_HOOKS                                                                              \
    .volume = unified_volume, .memory = unified_memory, .piece = unified_piece,                    \
    .open = unified_open, .close = unified_close, .ready = unified_ready,                          \
    .forward = unified_forward, .backward = unified_backward, .arrival = unified_arrival,          \
    .lse = unified_lse

#endif
