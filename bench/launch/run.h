/* What a command that runs on ranks is given, on every rank. */
#ifndef SPB_BENCH_LAUNCH_RUN_H
#define SPB_BENCH_LAUNCH_RUN_H

#include "base/trace.h"
#include "bench/options/options.h"
#include "comm/ranks/group.h"
#include "topology/model/machine.h"
#include "topology/place/place.h"

struct sink;

struct run {
    const struct options *options;
    const char *data_dir;
    const struct machine *machine;
    struct group *world;        /* waits by --wait, or as ranks per core suggest */
    const struct place *places; /* [world->size] */
    int threads;                /* default compute threads of a rank */
    struct trace *trace;        /* phases; the watchdog says which one a rank hangs in */
    const char *volatile *now;  /* what the rank works on, for the watchdog: set to static or
                                   long-lived text */
    struct sink *sink;          /* takes records and progress; does nothing on ranks other than 0 */
    FILE *out;                  /* rank 0 of a command that prints a document, else NULL */
};

#endif
