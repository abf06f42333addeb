/* --dry-run: the cases of commands, listed and not run. */
#ifndef SPB_BENCH_COMMANDS_DRY_RUN_H
#define SPB_BENCH_COMMANDS_DRY_RUN_H

#include "bench/launch/launch_env.h"
#include "bench/launch/supervisor/supervisor.h"

/* Of a command that has cases, of every rank count that it asks for, or of those that its launcher
 * has started. */
enum status dry_run(const struct supervised *what, const struct launch_env *launch);

#endif
