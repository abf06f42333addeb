/* The end of a rank, whatever MPI_Finalize does.
 *
 * MPICH 4.0.2 over UCX closes its connections in MPI_Finalize and then waits in the process
 * manager, where it answers nobody: between hosts joined by TCP, a rank whose last connection is
 * still being closed can wait for ever for one that has gone ahead. By then every result has been
 * delivered. */
#ifndef SPB_BENCH_FAREWELL_H
#define SPB_BENCH_FAREWELL_H

#include "base/status.h"

/* MPI_Finalize; if it takes longer than FAREWELL_S, says so and ends the process with st. */
void farewell(enum status st);

enum { FAREWELL_S = 10 };

#endif
