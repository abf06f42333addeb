/* Which ranks of a group share a host, for formulas: a view of the world's hosts, which may be of a
 * cluster that is not there. Borrows the keys. */
#ifndef SPB_COMM_SHAPE_HOSTS_H
#define SPB_COMM_SHAPE_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Rank r of the group is on the host keys[first + r * step]. Zero-initialised, keys NULL: every
 * rank has a host of its own. */
struct hosts {
    const uint64_t *keys; /* equal where two share a host (topology/place/place.h) */
    int first, step;
};

/* Of the group that is made of the ranks first, first + step, ... */
struct hosts hosts_part(struct hosts all, int first, int step);

/* Whether two different ranks share a host. */
bool hosts_shared(const struct hosts *hosts, int a, int b);

#endif
