/* Start-up and end of a process that runs as one of N ranks. */
#ifndef SPB_BENCH_LAUNCH_RANK_RANKS_H
#define SPB_BENCH_LAUNCH_RANK_RANKS_H

#include "bench/launch/launch_env.h"
#include "bench/options/options.h"

/* Starts MPI, places and pins the rank, runs the command, ends MPI. argc, argv: the command line,
 * for run.json. Returns what the process exits with: the status that the ranks agreed on, or ST_OK
 * where a supervisor reads that status from the board (launchers take a rank that exits with
 * anything else for a crash). */
enum status ranks_main(const struct options *options, int argc, char **argv, const char *data_dir,
                       const struct launch_env *launch);

#endif
