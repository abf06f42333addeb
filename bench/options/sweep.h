/* A sweep: the product of the lists given for a command's variable options, as cases.
 *
 * Cases stand in a stable order: options later in the table vary fastest, values in the order
 * given. A case is read like the options themselves; options that are not variable, or have no
 * value, read as in the options. */
#ifndef SPB_BENCH_OPTIONS_SWEEP_H
#define SPB_BENCH_OPTIONS_SWEEP_H

#include "base/options/options.h"
#include "results/record/record.h"

/* A sweep with more cases is refused. */
enum { SWEEP_MAX_CASES = 100000 };

struct sweep;

/* ranks > 0 fixes the option "ranks" to the size of this launch; 0 sweeps it too (all launches).
 * The sweep refers to opts, which must outlive it. ST_USAGE (logged) when there are too many
 * cases, ST_ENV without memory; *out is released with sweep_free() and NULL on failure. */
enum status sweep_create(const struct opts *opts, int ranks, struct sweep **out);
void sweep_free(struct sweep *sweep); /* NULL is allowed */

size_t sweep_count(const struct sweep *sweep);

/* Value of an option in case i. Same rules as opts_*(); sweep_has(): does it have a value? */
bool sweep_has(const struct sweep *sweep, size_t i, const char *name);
bool sweep_flag(const struct sweep *sweep, size_t i, const char *name);
int64_t sweep_int(const struct sweep *sweep, size_t i, const char *name);
double sweep_real(const struct sweep *sweep, size_t i, const char *name);
const char *sweep_str(const struct sweep *sweep, size_t i, const char *name);

/* What was asked for in case i: every variable option of the command that has a value, with '-' in
 * keys written '_'. "auto" stays, sizes are plain numbers, flags 0 or 1. */
struct sweep_case {
    struct case_var *vars; /* [n], for record_finish() */
    size_t n;
    char *text; /* holds their strings */
};

/* ST_ENV (logged) without memory; *out is released with sweep_case_free(). */
enum status sweep_case(const struct sweep *sweep, size_t i, struct sweep_case *out);
void sweep_case_free(struct sweep_case *c);

/* The case's name, as record_case() gives it. malloc'ed, the caller frees it; NULL (logged) without
 * memory. */
char *sweep_case_name(const struct sweep *sweep, size_t i);

#endif
