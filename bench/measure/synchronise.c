#include "bench/measure/synchronise.h"

#include <math.h>

/* barrier: each rank starts when it leaves a barrier, and counts from then. */

static void nothing(struct sync *sync) {
    (void)sync;
}

static bool nothing_new(struct sync *sync, double late_share) {
    (void)sync;
    (void)late_share;
    return false;
}

static void barrier_meet(struct sync *sync) {
    group_barrier(sync->world);
}

static double barrier_start(struct sync *sync) {
    return clock_now(&sync->clock);
}

static const struct sync_row barrier_row = {
    .name = "barrier",
    .help = "each rank starts as it leaves a dissemination barrier",
    .open = nothing,
    .refresh = nothing_new,
    .meet = barrier_meet,
    .start = barrier_start,
};

/* window: all ranks start at a time that rank 0 announced, and count from it. */

static const double least_margin_s = 1e-6, longest_margin_s = 10e-3;

static void window_open(struct sync *sync) {
    clock_sync_open(&sync->clocks, sync->world, sync->clock);
    sync->error_s = sync->clocks.last.error;
    const double delay = fmax(clock_sync_delay(&sync->clocks), 0);
    sync->margin_s = fmin(2 * delay + least_margin_s, longest_margin_s);
}

/* Clocks are measured again often enough to know their skew soon, and for at most a twentieth of
 * the time. */
static bool window_refresh(struct sync *sync, double late_share) {
    static const double least_age_s = 0.01, bearable = 0.1;
    const double before = sync->margin_s;
    if (late_share > bearable)
        sync->margin_s = fmin(2 * sync->margin_s, longest_margin_s);
    sync->error_s = clock_sync_error(&sync->clocks, clock_now(&sync->clock));
    clock_sync_refresh(&sync->clocks, fmax(least_age_s, 20 * sync->clocks.took_s));
    return sync->margin_s > before;
}

static void window_meet(struct sync *sync) {
    sync->next_start = clock_sync_announce(&sync->clocks, sync->margin_s);
}

static bool has_come(void *arg) {
    const struct sync *sync = arg;
    return clock_now(&sync->clock) >= sync->next_start;
}

static double window_start(struct sync *sync) {
    wait_until(sync->world->wait, has_come, sync);
    sync->late = clock_now(&sync->clock) - sync->next_start > sync->late_s;
    return sync->next_start;
}

static const struct sync_row window_row = {
    .name = "window",
    .help = "all ranks start at one time on synchronised clocks; late starts do not count",
    .can_be_late = true,
    .open = window_open,
    .refresh = window_refresh,
    .meet = window_meet,
    .start = window_start,
};

const struct sync_row *const sync_table[] = {&barrier_row, &window_row, NULL};

void sync_open(struct sync *sync, const struct sync_row *row, const struct group *world,
               struct clock clock) {
    *sync = (struct sync){
        .row = row, .world = world, .clock = clock, .late_s = INFINITY, .error_s = NAN};
    row->open(sync);
}

bool sync_refresh(struct sync *sync, double late_share) {
    return sync->row->refresh(sync, late_share);
}

void sync_meet(struct sync *sync) {
    sync->row->meet(sync);
}

double sync_start(struct sync *sync) {
    return sync->row->start(sync);
}
