/* The measurement engine: iterations of the ranks together, until the median is known well enough.
 *
 * An iteration's time is the maximum over ranks of (end - start) after a synchronisation
 * (bench/measure/synchronise.h); iterations that a rank began too late do not count. Ranks that
 * share cores cannot all start at once: for all of them the first one's start counts. Several
 * variants of one case (the layer, the layer with stubbed exchanges, its exchanges alone) are
 * measured interleaved, round by round, so that a machine that drifts drifts for all of them. The
 * first variant decides when it is enough. */
#ifndef SPB_BENCH_MEASURE_MEASURE_H
#define SPB_BENCH_MEASURE_MEASURE_H

#include "base/trace.h"
#include "bench/measure/synchronise.h"
#include "comm/ranks/group.h"
#include "results/stats/stats.h"

struct measure_config {
    double rel_ci;       /* stop when the CI's half-width is within this of the median ... */
    size_t min_samples;  /* ... with at least so many samples, */
    size_t max_samples;  /* or after so many, */
    double max_time_s;   /* or after this time for all variants, iterations always taken aside */
    double max_warmup_s; /* bound of the warm-up, in which two windows of medians must agree */
    const struct sync_row *sync; /* NULL: the first row of sync_table */
    const struct group *crowd;   /* the ranks that share cores with this one, and its clock; NULL:
                                    none */
    const struct clock *clock;   /* this rank's, which iterations are timed with; NULL: monotonic */
    double late_s; /* starting later than this makes an iteration invalid; 0: 1% of what one takes,
                      and no less than the clock can tell */
};

struct measure_variant {
    void (*prepare)(void *arg); /* untimed, before every iteration; may be NULL */
    void (*run)(void *arg);
    void *arg;
    /* Of variants after the first: the share of the time that they may take, beyond the iterations
     * that are always taken: `least`, or one. */
    double share;
    size_t least;
};

struct measurement {
    double *samples; /* [time.n] seconds; owned, freed by measurement_free() */
    struct summary time;
    bool converged;
    long invalid;         /* iterations that did not count; -1 where none can be invalid */
    double clock_error_s; /* by how much the ranks' common starts may differ; NAN: no common ones */
    double phases[PHASES + 1]; /* of the slowest rank, first variant only; they sum to the median,
                                  the last one being what no phase covers */
};

/* Collective over world; results are equal on all ranks. ST_ENV without memory; ST_INCONCLUSIVE
 * (logged) when nearly all iterations were invalid. out[n], freed also after a failure. */
enum status measure(const struct group *world, struct trace *trace,
                    const struct measure_config *config, const struct measure_variant *variants,
                    int n, struct measurement *out);
void measurement_free(struct measurement *m);

#endif
