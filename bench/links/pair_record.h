/* What a record says of the pairs of ranks: each of them, and every link class as a curve and a
 * fit.
 */
#ifndef SPB_BENCH_LINKS_PAIR_RECORD_H
#define SPB_BENCH_LINKS_PAIR_RECORD_H

#include <jansson.h>

#include "bench/measure/pair_times.h"
#include "topology/place/place.h"

/* Of rank 0. Everything is borrowed. */
struct pair_report {
    const struct pair_times *times;
    const struct place *places; /* [ranks] */
    int ranks;
    const size_t *sizes; /* [n_sizes] */
    int n_sizes;
};

/* Arrays "pairs" and "links", and the bandwidth of the worst and the best pair. What was not
 * measured is left out. ST_ENV without memory. */
enum status pair_record(const struct pair_report *report, json_t *record);

#endif
