#include "bench/launch/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *launcher_path(void) {
    const char *named = getenv("SPBENCH_MPIEXEC");
    return named && *named ? named : SPBENCH_MPIEXEC;
}

static bool always(void) {
    return true;
}

static bool as_root(void) {
    return geteuid() == 0;
}

/* On a node that is all there is of a Slurm job. Slurm names it to what runs on nodes, and not to
 * the shell of salloc(1), which may be elsewhere. */
static bool job_is_here(void) {
    const char *nodes = getenv("SLURM_JOB_NUM_NODES");
    return nodes && strcmp(nodes, "1") == 0 && getenv("SLURMD_NODENAME");
}

/* Variables of Open MPI 4 (OMPI_) and 5 (PRTE_) and of MPICH's Hydra, which mean nothing to others.
 * They travel with any launcher, as options would not. */
static const struct setting {
    const char *variable, *value;
    bool (*applies)(void);
} settings[] = {
    /* More ranks than cores are a thing to measure here, and each rank then waits accordingly. */
    {"OMPI_MCA_rmaps_base_oversubscribe", "1", always},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", always},
    /* --bind is ours: a binding of the launcher's would pass for the user's. */
    {"OMPI_MCA_hwloc_base_binding_policy", "none", always},
    {"PRTE_MCA_hwloc_default_binding_policy", "none", always},
    /* Who runs spbench as root, as one does in containers, runs its ranks as root: they are the
     * same program, and the question that mpiexec would ask has been answered. */
    {"OMPI_ALLOW_RUN_AS_ROOT", "1", as_root},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", as_root},
    {"PRTE_ALLOW_RUN_AS_ROOT", "1", as_root},
    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1", as_root},
    /* In a Slurm job Hydra starts its proxies with srun, which in the shell of `srun --pty bash`
     * waits for ever for the processors that this very shell holds. */
    {"HYDRA_LAUNCHER", "fork", job_is_here},
};

void launcher_prepare(void) {
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (settings[i].applies())
            setenv(settings[i].variable, settings[i].value, 0);
    /* The user's word on tasks is no word on Hydra's proxies, whose one task a node holds all
     * ranks. */
    unsetenv("SRUN_CPUS_PER_TASK");
}
