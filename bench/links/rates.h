/* What links were measured to do: a record of `comm --op pairs`, read for predictions. Pure. */
#ifndef SPB_BENCH_LINKS_RATES_H
#define SPB_BENCH_LINKS_RATES_H

#include <jansson.h>
#include <stdbool.h>

#include "comm/shape/link_model.h"
#include "topology/place/place.h"

struct link_rates {
    const char *source; /* "pairs": a record; "probe": a short measurement of this launch */
    /* 10^9 bytes/s of a message of the largest size, one direction, one pair at a time: the median
     * over the class's pairs; 0: not measured. */
    double gb_s[LINK_CLASSES];
    struct link_model model;
};

/* The host of each rank, from 0: host[ranks]. */
void link_hosts(const struct place *places, int ranks, int *host);

/* false, *out undefined: the record measured no links, no messages that tell bandwidth (two sizes,
 * up to 64 KiB at least), or other links than these ranks have (another number of ranks, or a pair
 * of another class). source as above. */
bool link_rates_read(const json_t *record, const struct place *places, int ranks,
                     const char *source, struct link_rates *out);

#endif
