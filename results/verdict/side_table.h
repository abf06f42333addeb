/* The table of a side-by-side comparison; internal to it. */
#ifndef SPB_RESULTS_VERDICT_SIDE_TABLE_H
#define SPB_RESULTS_VERDICT_SIDE_TABLE_H

#include "results/verdict/side_pair.h"

#include <stdbool.h>
#include <stdio.h>

/* A row per pair of one series, with the columns of the sides that were measured, and below it what
 * its speed-ups rest on. */
void side_table(const struct side_pair *pairs, size_t n, bool markdown, FILE *out);

#endif
