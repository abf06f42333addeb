/* Ulysses beside Ring: which is faster, by how much, and what bounds each.
 *
 * Everything said is derived from the records; what they do not hold is not said. */
#ifndef SPB_RESULTS_VERDICT_SIDEBYSIDE_H
#define SPB_RESULTS_VERDICT_SIDEBYSIDE_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints, per model shape and setting, a table over sp_size and sequence length, the crossover
 * where there is one, a sentence per pair and an overall verdict. A method without the other beside
 * it is only set against one rank. records is an array; those that are not "attn" are ignored. Of
 * several records of one case the last counts; of several cases that differ in what is not compared
 * (layout, kernel, threads) the fastest, whose layouts are named. Records whose check is wrong are
 * left out, and that is said. Prints nothing where there is nothing to compare. ST_ENV when out of
 * memory. */
enum status sidebyside_print(const json_t *records, bool markdown, FILE *out);

/* Tokens/s of an attn record over those of the same problem at sp_size 1 among records (the local
 * method's, else the fastest); 0 when either was not measured. */
double speedup_vs_sp1(const json_t *records, const json_t *record);

#endif
