/* The table of a side-by-side comparison; internal to it. */
#ifndef SPB_RESULTS_VERDICT_SIDE_TABLE_H
#define SPB_RESULTS_VERDICT_SIDE_TABLE_H

#include "results/verdict/verdict.h"

/* Tokens/s of a record; 0 when it has none. */
double side_rate(const json_t *record);

/* Whether a side has a record among pairs[n] of one series. */
bool side_measured(const struct side_pair *pairs, size_t n, int side);

/* A row per pair of one series, with the columns of the sides that were measured, and below it what
 * its speed-ups rest on. */
void side_table(const struct side_pair *pairs, size_t n, bool markdown, FILE *out);

#endif
