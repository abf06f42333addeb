/* What aligns the ranks before an iteration: a row of a table, chosen by --sync. */
#ifndef SPB_BENCH_MEASURE_SYNCHRONISE_H
#define SPB_BENCH_MEASURE_SYNCHRONISE_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/ranks/clock_sync.h"

struct sync;

struct sync_row {
    const char *name, *help;
    bool can_be_late; /* iterations can be invalid, and are counted */
    void (*open)(struct sync *sync);
    bool (*refresh)(struct sync *sync, double late_share);
    void (*meet)(struct sync *sync);
    double (*start)(struct sync *sync);
};

/* Terminated by NULL; the first row is the default. */
extern const struct sync_row *const sync_table[];

struct sync {
    const struct sync_row *row;
    const struct group *world;
    struct clock clock;
    double late_s;  /* a start that is later than this is late; set by the caller */
    bool late;      /* the iteration that started last did */
    double error_s; /* by how much its starts may miss the common ones; NAN: there are none */
    /* Of the window. */
    struct clock_sync clocks;
    double margin_s;   /* from the announcement to the start */
    double next_start; /* on this rank's clock */
};

/* Collective over world, which is borrowed. */
void sync_open(struct sync *sync, const struct sync_row *row, const struct group *world,
               struct clock clock);

/* Between batches of iterations, of which late_share (equal on all ranks) were late. true: it gives
 * the ranks more time from now on. Collective. */
bool sync_refresh(struct sync *sync, double late_share);

/* Before an iteration: all ranks meet (collective); then each starts, and gets the time, on its own
 * clock, from which the iteration counts. */
void sync_meet(struct sync *sync);
double sync_start(struct sync *sync);

#endif
