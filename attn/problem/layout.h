/* Layouts: which global tokens each sequence-parallel rank holds. A layout is position ids, so
 * every method runs with every layout.
 *
 * contiguous: rank r holds the r-th of P equal pieces.
 * zigzag:     rank r holds chunks r and 2P-1-r of 2P, which balances a causal mask.
 * striped:    rank r holds tokens r, r + P, r + 2P, ... (Brandon et al., "Striped Attention",
 * 2023). */
#ifndef SPB_ATTN_PROBLEM_LAYOUT_H
#define SPB_ATTN_PROBLEM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layout { LAYOUT_CONTIGUOUS, LAYOUT_ZIGZAG, LAYOUT_STRIPED, LAYOUTS };

const char *layout_name(enum layout layout);
const char *layout_help(enum layout layout);

/* Whether seq tokens divide over sp_size ranks as the layout needs. If not, why (of why_size bytes)
 * says so with the numbers and the nearest lengths that do. */
bool layout_divides(enum layout layout, int32_t seq, int sp_size, char *why, size_t why_size);

/* The least length from seq that divides. */
int64_t layout_padded(enum layout layout, int32_t seq, int sp_size);

/* Global positions of rank's seq / sp_size tokens, in local order. The sequence must divide. */
void layout_positions(enum layout layout, int32_t seq, int sp_size, int rank, int32_t *pos);

/* Zigzag inside each of n packed documents, which a mask that is causal in each needs to be
 * balanced. docs [n + 1]: their first positions, ascending from 0; then the end of the last one.
 * What follows up to seq, padding, is one more. Documents need not divide: their chunks differ by
 * at most a token, and ranks take turns with the longer ones, so that all get seq / sp_size tokens.
 */
void layout_zigzag_documents(const int32_t *docs, int n, int32_t seq, int sp_size, int rank,
                             int32_t *pos);

#endif
