/* One line on stderr for people who wait. */
#ifndef SPB_BENCH_OUTPUT_PROGRESS_H
#define SPB_BENCH_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/options/options.h"

struct progress {
    bool on;
    bool terminal; /* one line, redrawn; else a line per call */
    bool drawn;    /* a line stands on the terminal */
};

/* On if stderr is a terminal; --progress and --no-progress decide otherwise. */
struct progress progress_start(const struct options *options);

/* "[3/12] WHAT". done counts from 0: the case that is running is done + 1. */
void progress_show(struct progress *progress, size_t done, size_t total, const char *what);

/* Clears the line, so that other output can follow. */
void progress_clear(struct progress *progress);

#endif
