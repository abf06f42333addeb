/* What a side-by-side table says in words; internal to it. */
#ifndef SPB_RESULTS_VERDICT_VERDICT_H
#define SPB_RESULTS_VERDICT_VERDICT_H

#include "results/verdict/side_pair.h"

#include <stdbool.h>
#include <stdio.h>

/* Sentences about pairs[n] of one series, sorted by sp_size and sequence length. */
void side_verdict(const struct side_pair *pairs, size_t n, bool markdown, FILE *out);

#endif
