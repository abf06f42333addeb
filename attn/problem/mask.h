/* Which keys a query sees, by position ids and never as a matrix.
 *
 * Every mask here is an interval mask: the query at position q sees exactly the keys whose
 * positions lie in [lo(q), hi(q)), and both ends never decrease with q. A mask of several terms is
 * the intersection of their intervals, which is again one. Blocks are therefore classified from the
 * least and greatest positions alone, and a row of a block is masked by its two ends. */
#ifndef SPB_ATTN_PROBLEM_MASK_H
#define SPB_ATTN_PROBLEM_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The position of padding: it sees nothing and nothing sees it, under any mask. */
#define POS_NOWHERE INT32_MAX

/* Terms of the mask; all zero: every key is visible. Copies share docs, which mask_close() of one
 * of them frees. */
struct mask {
    bool causal;    /* k <= q */
    int32_t window; /* 0: none; otherwise 0 <= q - k < window */
    int n_docs;     /* packed documents, which do not see each other; 0: the sequence is one */
    int32_t *docs;  /* [n_docs + 1]: their first positions, ascending; then the sequence's length */
};

/* Positions [lo, hi); empty when hi <= lo. */
struct interval {
    int32_t lo, hi;
};

enum mask_cover { MASK_NONE, MASK_PARTIAL, MASK_ALL };

/* Reads terms joined by '+', each at most once, for a sequence of seq tokens:
 *   full       no restriction
 *   causal     k <= q
 *   docs:N     N packed documents of seq / N tokens (rounded so that they add up), causal in each
 *   docs:FILE  documents of the lengths in the file, which add up to seq, causal in each
 *   window:N   the last N keys up to the query's own; N may end in k, m or g
 * ST_USAGE (logged) for anything else and for a malformed file, with its line; ST_ENV without
 * memory; both leave *out alone. A mask that other lengths of sequence would fit sets why (of
 * why_size bytes, empty on entry) and leaves *out full. Closed by mask_close(). */
enum status mask_open(const char *text, int32_t seq, struct mask *out, char *why, size_t why_size);
void mask_close(struct mask *mask);

/* NULL if text reads as a mask, as far as can be said without a sequence and without opening files;
 * otherwise what would be allowed. */
const char *mask_check(const char *text);

/* Key positions that the query at q_pos (>= 0) sees: none from POS_NOWHERE. */
struct interval mask_interval(const struct mask *mask, int32_t q_pos);

bool mask_visible(const struct mask *mask, int32_t q_pos, int32_t k_pos);

/* The document at a position, from 0; n_docs behind the last. 0 without documents. */
int mask_document(const struct mask *mask, int32_t pos);

/* How much of the block of queries at positions within [q_min, q_max] and keys at positions within
 * [k_min, k_max] is visible. MASK_NONE and MASK_ALL are certain; a MASK_PARTIAL block of sparse
 * positions may turn out to be either. */
enum mask_cover mask_classify(const struct mask *mask, int32_t q_min, int32_t q_max, int32_t k_min,
                              int32_t k_max);

/* Visible query-key pairs of n queries at positions pos with the keys 0..seq-1, exact. This is a
 * rank's work under a layout; O(n log n_docs). */
uint64_t mask_pairs_at(const struct mask *mask, const int32_t *pos, int n, int32_t seq);

/* The same for all queries 0..seq-1, the work of the whole problem; O(n_docs). Documents must add
 * up to seq. */
uint64_t mask_visible_pairs(const struct mask *mask, int32_t seq);

/* Lengths of documents from a file of whole numbers of at least 1, separated by white space.
 * Allocated, [*n], freed by the caller. ST_USAGE (logged, with file and line) for a file that is
 * anything else, whose lengths exceed 2^31 - 1 together, or that has none. */
enum status mask_read_docs(const char *path, int32_t **lengths, int *n);

#endif
