/* What a saved `comm --op pairs` measured, as matrices. */
#ifndef SPB_BENCH_LINKS_PAIR_RATES_H
#define SPB_BENCH_LINKS_PAIR_RATES_H

#include "topology/print/print.h"

/* Reads the last such record of a run folder: bandwidth of pairs alone, one direction, and classes.
 * What a pair lacks is unknown. ST_USAGE when there is no such record or it is malformed. Release
 * with pair_rates_free(), also after a failure. */
enum status pair_rates_load(const char *dir, struct pair_rates *rates);
void pair_rates_free(struct pair_rates *rates);

#endif
