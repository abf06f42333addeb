/* The program that starts ranks: where it is, and what its MPI must be told. */
#ifndef SPB_BENCH_LAUNCH_LAUNCHER_H
#define SPB_BENCH_LAUNCH_LAUNCHER_H

/* $SPBENCH_MPIEXEC, else the mpiexec of the MPI that this was built with. */
const char *launcher_path(void);

/* Sets variables, for launchers that are children of this process, that lift what would keep ranks
 * from starting where the user wants them. What the user has set stays. */
void launcher_prepare(void);

#endif
