/* The times of every pair of ranks, over all message sizes: alone and in company, in one direction
 * and in both at once.
 *
 * A sample is the time of one message: of a batch of exchanges, long enough to be timed, over their
 * number, and in one direction half of that, since there and back are two messages (as in OSU's
 * osu_latency). A batch begins after an untimed exchange of the smallest size, in which the two
 * ranks meet. */
#ifndef SPB_BENCH_MEASURE_PAIR_TIMES_H
#define SPB_BENCH_MEASURE_PAIR_TIMES_H

#include "bench/measure/measure.h"
#include "comm/op/pairs.h"

enum pair_mode {
    PAIR_ISOLATED, /* one pair at a time; all others wait */
    PAIR_LOADED,   /* all pairs of a round of the tournament at once */
    PAIR_MODES
};

/* Fewer samples than this are never taken, whatever the time; of a pair's isolated messages of the
 * largest size in one direction, fewer than config->min_samples. */
enum { PAIR_LEAST_SAMPLES = 3 };

/* Median seconds of a message; 0: not measured. */
struct pair_result {
    double median_s[PAIR_MODES][PAIR_DIRECTIONS][PAIRS_SIZES];
};

struct pair_times {
    /* Of the pair a < b at pair_index(); rank 0, NULL elsewhere. */
    struct pair_result *results;
    /* Of the slowest pair: isolated, in one direction, at the largest size. On all ranks. */
    struct measurement slowest;
    /* Did every median of every pair become as certain as config asks before the time was over? */
    bool converged;
    uint64_t wrong; /* elements, of all ranks */
    uint64_t sent;  /* bytes a rank sent while verifying, the most of all ranks */
    char algorithm[48];
};

/* Where the pair a < b of P ranks stands; there are pair_count(P). */
size_t pair_index(int ranks, int a, int b);
size_t pair_count(int ranks);

/* How much of the tournament is played. Zero: all of it, unverified. */
struct pair_scope {
    /* [pair_count], equal on all ranks: which pairs are measured in isolation. Rounds with such a
     * pair are played, the others are not. NULL: all. */
    const bool *alone;
    const bool *loaded; /* the same of pairs that take part when a round is loaded; NULL: all */
    /* Called before each exchange that is timed, which then is a single one: to take its buffers
     * out of the caches, say. NULL: nothing, and batches of exchanges are timed. */
    void (*prepare)(void *arg);
    void *arg;
    bool verify; /* every round's pairs, before they are measured */
};

/* Runs the tournament. config->max_time_s bounds the sum over all pairs, sizes, modes and
 * directions, each of which gets the same share of it, but at least PAIR_LEAST_SAMPLES. Collective.
 * pair_times_free() in any case. */
enum status pair_times_measure(struct pairs *pairs, struct trace *trace,
                               const struct measure_config *config, const struct pair_scope *scope,
                               struct pair_times *out);
void pair_times_free(struct pair_times *times);

#endif
