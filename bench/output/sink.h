/* Where rank 0 puts what it measured: to the supervisor that started it, or, under a bare mpiexec,
 * straight to stdout and the run folder. */
#ifndef SPB_BENCH_OUTPUT_SINK_H
#define SPB_BENCH_OUTPUT_SINK_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

struct run_output;

/* Zero-initialised, it takes everything and does nothing: the sink of ranks other than 0. */
struct sink {
    FILE *wire;                /* to the supervisor; or ... */
    struct run_output *output; /* ... what prints and saves. Both borrowed */
    json_t *fingerprint;       /* set into every record; owned */
    int launch; /* from 1, recorded as "launch" when a command repeats launches; 0: not */
};

/* Takes over record (NULL is ST_ENV: its making failed), completes it with fingerprint and launch,
 * and passes it on; what was taken is safe from whatever happens to the run later. */
enum status sink_record(struct sink *sink, json_t *record);

/* For people who wait: case `done` (from 0) of `total` is running. */
void sink_progress(struct sink *sink, size_t done, size_t total, const char *what);

void sink_close(struct sink *sink);

#endif
