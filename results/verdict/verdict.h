/* What a side-by-side table says in words; internal to it. */
#ifndef SPB_RESULTS_VERDICT_VERDICT_H
#define SPB_RESULTS_VERDICT_VERDICT_H

#include "results/stats/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The two methods, in this order everywhere below. */
enum { SIDE_ULYSSES, SIDE_RING, SIDES };

/* One global problem on one sp_size, measured with either method or both. */
struct side_pair {
    char *series; /* everything equal but sequence length and sp_size */
    double seq, sp;
    const json_t *record[SIDES]; /* borrowed; NULL: not measured */
    struct summary time[SIDES];
    const json_t *base; /* the sp_size 1 record of the same problem, borrowed; NULL: none */
};

/* What the times of a pair with both records show. */
enum side_result {
    SIDE_UNKNOWN,  /* too few samples */
    SIDE_UNSTEADY, /* the machine was not the same for both */
    SIDE_EQUAL,
    SIDE_FASTER_ULYSSES,
    SIDE_FASTER_RING,
    SIDE_RESULTS
};
/* How much faster the machine was for one side than for the other: the ratio, above 1, of the
 * reference product's rates that were measured with each. 1 when a record has none. */
double side_pace(const struct side_pair *pair);

enum side_result side_compare(const struct side_pair *pair);

/* Sentences about pairs[n] of one series, sorted by sp_size and sequence length. */
void side_verdict(const struct side_pair *pairs, size_t n, bool markdown, FILE *out);

#endif
