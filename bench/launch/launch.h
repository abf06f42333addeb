/* Who started this process, and how a supervisor and the ranks it starts find each other. */
#ifndef SPB_BENCH_LAUNCH_LAUNCH_H
#define SPB_BENCH_LAUNCH_LAUNCH_H

#include <stdbool.h>

/* Set for ranks by their supervisor: the folder that holds the wire (a FIFO) and the roster. */
#define LAUNCH_DIR_ENV "SPBENCH_LAUNCH_DIR"
#define LAUNCH_WIRE "wire"
#define LAUNCH_ROSTER "roster"

/* ... and which repetition of the launch this is, from 1. */
#define LAUNCH_INDEX_ENV "SPBENCH_LAUNCH_INDEX"

/* What the environment says about this process. */
struct launch {
    bool is_rank;         /* an MPI launcher started it */
    bool by_srun;         /* ... and that is srun itself */
    const char *launcher; /* as it is called in a sentence */
    int rank, size;       /* as the launcher says; size 0: it does not */
    const char *dir;      /* the supervisor's folder; NULL: started by a bare mpiexec or srun */
    int index;            /* of the launch; 0: none */
};

/* A shell inside a batch job is not a rank, whatever its scheduler put into the environment. Nor is
 * what runs in a step of one task, which may be the shell of `srun --pty bash`: one rank needs no
 * srun, and more are started from there. */
struct launch launch_detect(void);

#endif
