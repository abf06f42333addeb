/* Which keys a query sees, by position ids and never as a matrix.
 *
 * Every mask here is an interval mask: the query at position q sees exactly the keys whose
 * positions lie in [lo(q), hi(q)), and both ends never decrease with q. A mask of several terms is
 * the intersection of their intervals, which is again one. Blocks are therefore classified from the
 * least and greatest positions alone, and a row of a block is masked by its two ends. */
#ifndef SPB_ATTN_MASK_H
#define SPB_ATTN_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Terms of the mask; all false: every key is visible. */
struct mask {
    bool causal; /* k <= q */
};

/* Positions [lo, hi); empty when hi <= lo. */
struct interval {
    int32_t lo, hi;
};

enum mask_cover { MASK_NONE, MASK_PARTIAL, MASK_ALL };

/* Reads "full", "causal" or terms joined by '+'. ST_USAGE (logged) for anything else. */
enum status mask_parse(const char *text, struct mask *out);

/* Key positions that the query at q_pos (>= 0, < INT32_MAX) sees. */
struct interval mask_interval(const struct mask *mask, int32_t q_pos);

bool mask_visible(const struct mask *mask, int32_t q_pos, int32_t k_pos);

/* How much of the block of queries at positions within [q_min, q_max] and keys at positions within
 * [k_min, k_max] is visible. MASK_NONE and MASK_ALL are certain; a MASK_PARTIAL block of sparse
 * positions may turn out to be either. */
enum mask_cover mask_classify(const struct mask *mask, int32_t q_min, int32_t q_max, int32_t k_min,
                              int32_t k_max);

/* Visible query-key pairs of n queries at positions pos with the keys 0..seq-1, exact. This is a
 * rank's work under a layout; O(n). */
uint64_t mask_pairs_at(const struct mask *mask, const int32_t *pos, int n, int32_t seq);

/* The same for all queries 0..seq-1: the work of the whole problem. */
uint64_t mask_visible_pairs(const struct mask *mask, int32_t seq);

#endif
