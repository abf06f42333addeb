/* Runs the cases of a command. */
#ifndef SPB_BENCH_COMMANDS_RUN_CASES_H
#define SPB_BENCH_COMMANDS_RUN_CASES_H

#include "base/status.h"

struct run;

/* struct command's ranks() for those that have cases: runs all that can. ST_WRONG if a result was
 * wrong, else ST_INCONCLUSIVE if a case came to none. */
enum status run_cases(struct run *run);

#endif
