/* How evenly the ranks share the compute: each rank's time for the same iteration without
 * exchanges, all at once where every rank has cores of its own, or one rank after the other. */
#ifndef SPB_BENCH_MEASURE_BALANCE_H
#define SPB_BENCH_MEASURE_BALANCE_H

#include <stddef.h>

#include "comm/ranks/group.h"

enum { BALANCE_SAMPLES = 256 };

/* Zero-initialise. */
struct balance {
    double seconds[BALANCE_SAMPLES]; /* of this rank: the last ones */
    size_t n;                        /* taken */
};

/* Runs and times run(arg). */
void balance_run(struct balance *b, void (*run)(void *arg), void *arg);

/* The same on one rank of the world after the other, while the others sleep, in processor time of
 * the calling thread: at least 3 rounds, and then up to 15 until budget_s is spent. Collective;
 * run() must not exchange anything. */
void balance_run_in_turn(struct balance *b, const struct group *world, double budget_s,
                         void (*run)(void *arg), void *arg);

/* mean / max over ranks of the ranks' median times; 0: nothing was taken. Collective. */
double balance_of(const struct balance *b, const struct group *world);

#endif
