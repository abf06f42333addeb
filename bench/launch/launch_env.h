/* How this process was launched, as its environment says. */
#ifndef SPB_BENCH_LAUNCH_LAUNCH_ENV_H
#define SPB_BENCH_LAUNCH_LAUNCH_ENV_H

#include <stdbool.h>

struct launch_env {
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
struct launch_env launch_env_read(void);

#endif
