/* One problem measured with Ulysses and with Ring, and what its records show. */
#ifndef SPB_RESULTS_VERDICT_SIDE_PAIR_H
#define SPB_RESULTS_VERDICT_SIDE_PAIR_H

#include "results/stats/stats.h"

#include <jansson.h>
#include <stdbool.h>

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

/* Which method was faster. Of a pair with both records. */
enum side_result side_compare(const struct side_pair *pair);

/* Tokens/s of a record; 0 when it has none. */
double side_rate(const json_t *record);

/* Whether a side has a record among pairs[n] of one series. */
bool side_measured(const struct side_pair *pairs, size_t n, int side);

#endif
