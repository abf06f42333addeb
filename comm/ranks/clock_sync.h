/* The ranks' clocks against rank 0's, so that they can start at one moment.
 *
 * Each rank exchanges time stamps with rank 0 and keeps those of the shortest round trip: rank 0's
 * stamp lies inside it, so the offset is known to within half of it (Cristian, "Probabilistic clock
 * synchronization", 1989). Clocks drift: measurements are repeated, and two that lie apart give the
 * skew, which is extrapolated (a linear model, as in Hunold, Carpen-Amarie, "Reproducible MPI
 * benchmarking is still not as easy as you think", 2016). A skew that the round trips cannot tell
 * from none is taken as none. */
#ifndef SPB_COMM_RANKS_CLOCK_SYNC_H
#define SPB_COMM_RANKS_CLOCK_SYNC_H

#include <stdbool.h>

#include "comm/ranks/group.h"

/* Any clock of a rank, in seconds. */
struct clock {
    double (*now)(void *arg);
    void *arg;
};

/* clock_s() of base/trace.h. */
extern const struct clock clock_monotonic;

static inline double clock_now(const struct clock *clock) {
    return clock->now(clock->arg);
}

/* One measurement: global - local = offset at this local time, to within +-error. */
struct clock_point {
    double at, offset, error;
};

struct clock_sync {
    const struct group *group;
    struct clock clock;
    struct clock_point last, anchor; /* the skew is what lies between them */
    double skew, skew_error;         /* seconds per second */
    double took_s;                   /* the shortest measurement of all ranks; on rank 0 */
};

/* First measurement. Collective; group is borrowed. */
void clock_sync_open(struct clock_sync *sync, const struct group *group, struct clock clock);

/* Measures again if the last time is longer than max_age_s ago. Collective: rank 0 decides. */
void clock_sync_refresh(struct clock_sync *sync, double max_age_s);

/* Rank 0's time at a time of this rank's clock, and back. */
double clock_sync_global(const struct clock_sync *sync, double local);
double clock_sync_local(const struct clock_sync *sync, double global);

/* How far clock_sync_global() may be off at that time. Before a second measurement the skew is
 * taken to be 100 ppm at most. */
double clock_sync_error(const struct clock_sync *sync, double local);

/* Announces a common start, margin_s from now on rank 0's clock; returns it on this rank's clock.
 * Collective. All ranks have called it before rank 0 reads its clock. */
double clock_sync_announce(const struct clock_sync *sync, double margin_s);

/* How long after rank 0 read its clock the last rank has an announcement: the median of a few,
 * equal on all ranks. Collective. */
double clock_sync_delay(const struct clock_sync *sync);

#endif
