/* Where results end: records to stdout in the format asked for and into the run folder, progress to
 * stderr, and, after the last record, Ulysses beside Ring.
 *
 * Used by the supervisor, or by rank 0 under a bare mpiexec. Nothing else writes to stdout. */
#ifndef SPB_BENCH_OUTPUT_RUN_OUTPUT_H
#define SPB_BENCH_OUTPUT_RUN_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/options/options.h"

struct run_output;

struct run_output_config {
    const struct options *options; /* output, save, progress */
    int argc;                      /* the command line, for run.json */
    char *const *argv;
    FILE *out;
    /* Keys of cases of which there are several values, ending with NULL, which tables name; NULL:
     * those that the options list several values of. Borrowed. */
    const char *const *swept;
};

/* Opens the run folder and starts the output. ST_USAGE, ST_ENV: the folder cannot be used. */
enum status run_output_open(const struct run_output_config *config, struct run_output **out);

/* Prints and saves a record (borrowed); ST_ENV when either fails. */
enum status run_output_record(struct run_output *output, json_t *record);

/* The same for one line of the wire: a record, or progress. ST_ENV when it is neither. */
enum status run_output_line(struct run_output *output, const char *line, size_t length);

void run_output_progress(struct run_output *output, size_t done, size_t total, const char *what);

/* Ends the output and frees it; NULL is allowed. */
enum status run_output_close(struct run_output *output);

#endif
