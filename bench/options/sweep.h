/* A sweep: the product of the lists given for a command's variable options, as cases.
 *
 * Cases stand in a stable order: options later in the table vary fastest, values in the order
 * given. Options that are not variable, or have no value, are in every case as on the command line.
 */
#ifndef SPB_BENCH_OPTIONS_SWEEP_H
#define SPB_BENCH_OPTIONS_SWEEP_H

#include "bench/options/options.h"
#include "results/record/record.h"

/* A sweep with more cases is refused. */
enum { SWEEP_MAX_CASES = 100000 };

struct sweep;

/* ranks > 0 fixes the number of ranks to the size of this launch; 0 sweeps it too (all launches).
 * The sweep refers to options, which must outlive it. ST_USAGE (logged) when there are too many
 * cases, ST_ENV without memory; *out is released with sweep_free() and NULL on failure. */
enum status sweep_create(const struct options *options, int ranks, struct sweep **out);
void sweep_free(struct sweep *sweep); /* NULL is allowed */

size_t sweep_count(const struct sweep *sweep);

/* The options of case i, which refer to the sweep. */
void sweep_options(const struct sweep *sweep, size_t i, struct options *out);

/* The a-th variable option that has a value, in table order, and how many; NULL past the last. */
const struct option *sweep_axis(const struct sweep *sweep, size_t a, size_t *values);

/* What was asked for in a case with these options: every variable option of the command that has a
 * value. "auto" stays, sizes are plain numbers, flags 0 or 1. */
struct sweep_case {
    struct case_var *vars; /* [n], for record_finish() */
    size_t n;
    char *text; /* holds their strings */
};

/* ST_ENV (logged) without memory; *out is released with sweep_case_free(). */
enum status sweep_case(const struct sweep *sweep, const struct options *options,
                       struct sweep_case *out);
void sweep_case_free(struct sweep_case *c);

/* The case's name, as record_case() gives it. malloc'ed, the caller frees it; NULL (logged) without
 * memory. */
char *sweep_case_name(const struct sweep *sweep, const struct options *options);

#endif
