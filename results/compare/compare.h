/* Two sets of records: did anything become slower?
 *
 * Records pair by "case". The samples of several records of one case (a run folder that a later run
 * appended to) are pooled: more launches, more evidence. A case is a regression when NEW is slower
 * by a one-sided Mann-Whitney test with p < 0.01 and its median is more than the threshold above
 * BASE's; an improvement likewise. Both are needed: with many samples a test finds differences
 * that do not matter, and with few a large difference is chance: a change of the median beyond the
 * threshold that the test does not confirm is "not significant", and no error. Tables name cases by
 * what tells them apart, csv and json whole. */
#ifndef SPB_RESULTS_COMPARE_COMPARE_H
#define SPB_RESULTS_COMPARE_COMPARE_H

#include "base/status.h"
#include "results/stats/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define COMPARE_ALPHA 0.01
#define COMPARE_THRESHOLD 0.05

struct compare_options {
    double threshold; /* COMPARE_THRESHOLD unless asked otherwise: 0.05 is 5% of BASE's median */
    const struct compare_printer *printer;
};

/* The i-th format, NULL past the last one; and what it is called. */
const struct compare_printer *compare_printer(size_t i);
const char *compare_printer_name(const struct compare_printer *printer);

/* Compares records (arrays) and prints to out. Returns ST_WRONG when a NEW record's check is wrong,
 * else ST_REGRESSION when any case regressed, else ST_INCONCLUSIVE when any pair has too few
 * samples (how many are needed is said), else ST_OK. ST_USAGE when no case is in both or for a
 * threshold that is negative. Fingerprints that differ are warned of, by
 * field. */
enum status compare_records(const json_t *base, const json_t *new_records,
                            const struct compare_options *options, FILE *out);

/* The same for two files or run folders, as records_load() takes them. */
enum status compare_paths(const char *base, const char *new_path,
                          const struct compare_options *options, FILE *out);

#endif
