/* Formulas of unified sequence parallelism (Fang and Zhao, "USP", 2024): sp_size = ulysses_size x
 * ring_size. An exchange of heads inside a Ulysses group, then a ring over the ranks that have the
 * same heads. With a ring of one it is Ulysses, with Ulysses groups of one it is Ring Attention,
 * with both it is local attention: the rows of these methods differ in names, defaults and limits
 * alone. */
#ifndef SPB_ATTN_FORMULA_UNIFIED_H
#define SPB_ATTN_FORMULA_UNIFIED_H

#include "attn/formula/method.h"

/* Zigzag under a causal mask, which is what makes a ring's ranks work equally long. */
enum layout unified_balanced_layout(const struct problem *p);
enum layout unified_contiguous_layout(const struct problem *p);

/* All ranks in one ring. */
void unified_split_ring(struct problem *p);

/* Whether each Ulysses rank gets a head; if not, why. */
bool unified_heads_suffice(const struct problem *p, char *why, size_t why_size);

size_t unified_volume(const struct problem *p, int sp_rank);
void unified_memory(const struct problem *p, const struct predict_env *env,
                    struct mem_predict *out);
struct attn_piece unified_piece(const struct problem *p, int sp_rank);

/* What the rows have in common. */
#define UNIFIED_FORMULAS .volume = unified_volume, .memory = unified_memory, .piece = unified_piece

/* Adds what the exchange of heads and its plans allocate on ulysses_rank. how: of the Ulysses
 * group. */
void heads_exchange_memory(const struct problem *p, int ulysses_rank, const struct staging *how,
                           struct mem_predict *out);

#endif
