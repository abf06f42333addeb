/* Runs the cases of a command. */
#ifndef SPB_BENCH_COMMANDS_RUN_CASES_H
#define SPB_BENCH_COMMANDS_RUN_CASES_H

#include "bench/cases/cases.h"

struct run;

/* Runs all that can; collective. ST_WRONG if a result was wrong, else ST_INCONCLUSIVE if a case
 * came to none. */
enum status cases_run(const struct case_kind *kind, struct run *run);

#endif
