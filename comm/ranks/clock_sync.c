#include "comm/ranks/clock_sync.h"

#include <math.h>
#include <stdlib.h>

#include "base/trace.h"

static double monotonic(void *arg) {
    (void)arg;
    return clock_s();
}

const struct clock clock_monotonic = {monotonic, NULL};

/* Round trips of one measurement: the shortest of so many has met no interruption. */
enum { TRIPS = 20 };

/* How far the rates of two clocks may be apart: two crystals of 50 ppm. */
static const double crystals = 100e-6;

static void serve(const struct clock_sync *sync, int rank) {
    for (int i = 0; i < TRIPS; i++) {
        char request;
        group_receive(sync->group, rank, &request, sizeof request);
        const double now = clock_now(&sync->clock);
        group_send(sync->group, rank, &now, sizeof now);
    }
}

static struct clock_point ask(const struct clock_sync *sync) {
    struct clock_point best = {.error = INFINITY};
    for (int i = 0; i < TRIPS; i++) {
        const char request = 0;
        double stamp;
        const double sent = clock_now(&sync->clock);
        group_send(sync->group, 0, &request, sizeof request);
        group_receive(sync->group, 0, &stamp, sizeof stamp);
        const double back = clock_now(&sync->clock);
        /* Half the trip as rank 0's clock would measure it: a stamp can be as late as its end. */
        const double half = 0.5 * (back - sent), middle = sent + half;
        const double error = half * (1 + crystals);
        if (error < best.error)
            best = (struct clock_point){middle, stamp - middle, error};
    }
    return best;
}

/* Rank 0 serves the others one after the other. */
static struct clock_point take_point(struct clock_sync *sync) {
    if (sync->group->rank > 0)
        return ask(sync);
    const double start = clock_now(&sync->clock);
    for (int rank = 1; rank < sync->group->size; rank++)
        serve(sync, rank);
    const double end = clock_now(&sync->clock);
    if (sync->took_s == 0 || end - start < sync->took_s)
        sync->took_s = end - start;
    return (struct clock_point){.at = end};
}

void clock_sync_open(struct clock_sync *sync, const struct group *group, struct clock clock) {
    *sync = (struct clock_sync){.group = group, .clock = clock};
    sync->last = sync->anchor = take_point(sync);
    sync->skew_error = group->rank > 0 ? crystals : 0;
}

void clock_sync_refresh(struct clock_sync *sync, double max_age_s) {
    static const double longest_s = 10; /* skew follows the temperature */
    char old = clock_now(&sync->clock) - sync->last.at > max_age_s;
    group_bcast(sync->group, &old, sizeof old, 0);
    if (!old)
        return;
    if (sync->last.at - sync->anchor.at > longest_s)
        sync->anchor = sync->last;
    sync->last = take_point(sync);
    if (sync->group->rank == 0)
        return;
    const double span = sync->last.at - sync->anchor.at;
    const double skew = (sync->last.offset - sync->anchor.offset) / span;
    const double error = (sync->last.error + sync->anchor.error) / span;
    const bool shown = fabs(skew) > error;
    sync->skew = shown ? skew : 0;
    sync->skew_error = shown ? error : error + fabs(skew);
}

double clock_sync_global(const struct clock_sync *sync, double local) {
    return local + sync->last.offset + sync->skew * (local - sync->last.at);
}

double clock_sync_local(const struct clock_sync *sync, double global) {
    const double since = (global - sync->last.at - sync->last.offset) / (1 + sync->skew);
    return sync->last.at + since;
}

double clock_sync_error(const struct clock_sync *sync, double local) {
    return sync->last.error + sync->skew_error * fabs(local - sync->last.at);
}

double clock_sync_announce(const struct clock_sync *sync, double margin_s) {
    group_barrier(sync->group);
    double start = clock_now(&sync->clock) + margin_s;
    group_bcast(sync->group, &start, sizeof start, 0);
    return clock_sync_local(sync, start);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double clock_sync_delay(const struct clock_sync *sync) {
    enum { TRIALS = 15 };
    double delay[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        const double start = clock_sync_announce(sync, 0);
        delay[i] = clock_now(&sync->clock) - start;
    }
    group_max(sync->group, delay, TRIALS);
    qsort(delay, TRIALS, sizeof delay[0], ascending);
    return delay[TRIALS / 2];
}
