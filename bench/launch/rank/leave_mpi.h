/* The end of a rank's part in MPI. */
#ifndef SPB_BENCH_LAUNCH_RANK_LEAVE_MPI_H
#define SPB_BENCH_LAUNCH_RANK_LEAVE_MPI_H

#include <stdbool.h>

#include "base/status.h"

/* MPI_Finalize. Where MPICH joins ranks of several hosts it does not come to that: the process ends
 * here, with st. MPICH 4.0.2 over UCX and TCP closes its connections in MPI_Finalize and then waits
 * in the process manager, where it answers nobody; a rank whose connection is still being closed
 * then waits for ever for those that have gone ahead (seen in a quarter of the runs on a loaded
 * machine). All ranks have agreed on the end by then. Hydra, unless srun itself started the ranks,
 * is told that the rank has ended well: a rank whose connection to it just closes takes the others
 * of its host along, and what mpiexec then exits with is a matter of luck. */
void leave_mpi(enum status st, bool many_hosts, bool by_srun);

#endif
