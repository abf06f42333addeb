/* Cases of a sweep that come to the same thing, and are measured once: an option has no effect on
 * some, or asks by name for what "auto" takes. */
#ifndef SPB_BENCH_CASES_SAME_CASES_H
#define SPB_BENCH_CASES_SAME_CASES_H

#include <jansson.h>

#include "bench/options/sweep.h"

/* Resolved cases seen so far. Zero-initialise; freed by same_cases_free(). */
struct same_cases {
    json_t *first; /* index of the first case that comes to each text */
};

/* Adds case i, which can run and comes to these options. If an earlier one came to the same, *why
 * says as which case it would have run: "--layout contiguous comes to the same as auto: measured
 * once". ST_ENV (logged) without memory. */
enum status same_cases_add(struct same_cases *seen, const struct sweep *sweep, size_t i,
                           const struct options *comes_to, char *why, size_t why_size);
void same_cases_free(struct same_cases *seen);

#endif
