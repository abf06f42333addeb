#include "bench/launch/launch_env.h"

#include <stddef.h>
#include <stdlib.h>

#include "bench/launch/launch_dir.h"

/* Process managers, by the variables that only a process they started has. */
static const struct manager {
    const char *name, *rank, *size; /* size NULL: it does not say */
} managers[] = {
    {"Open MPI's launcher", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"a PMI launcher", "PMI_RANK", "PMI_SIZE"}, /* MPICH's Hydra, Intel MPI, srun --mpi=pmi2 */
    {"MVAPICH's launcher", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"the PALS launcher", "PALS_RANKID", "PALS_SIZE"},
    {"a PMIx launcher", "PMIX_RANK", NULL},
};

/* A variable as a whole number; -1: unset or no number. */
static long number(const char *variable) {
    const char *text = variable ? getenv(variable) : NULL;
    char *end;
    if (!text || !*text)
        return -1;
    const long value = strtol(text, &end, 10);
    return *end ? -1 : value;
}

/* Slurm sets SLURM_PROCID in batch scripts and interactive shells, too. Only in a step that srun
 * made is there a step number; those of such shells are reserved ones at the end of 32 bits
 * (slurm.h: SLURM_INTERACTIVE_STEP and up). */
static bool in_slurm_step(void) {
    const long step = number("SLURM_STEP_ID");
    return step >= 0 && step < 0xfffffff0L && number("SLURM_PROCID") >= 0;
}

static struct launch_env find_manager(long slurm_size) {
    struct launch_env launch = {.rank = -1};
    for (size_t i = 0; i < sizeof managers / sizeof managers[0] && !launch.is_rank; i++) {
        const struct manager *m = &managers[i];
        const long rank = number(m->rank), size = m->size ? number(m->size) : slurm_size;
        if (rank >= 0)
            launch = (struct launch_env){.is_rank = true,
                                         .launcher = m->name,
                                         .rank = (int)rank,
                                         .size = size > 0 ? (int)size : 0};
    }
    if (!launch.is_rank && slurm_size > 0)
        launch = (struct launch_env){
            .is_rank = true, .rank = (int)number("SLURM_PROCID"), .size = (int)slurm_size};
    return launch;
}

struct launch_env launch_env_read(void) {
    const long slurm_size = in_slurm_step() ? number("SLURM_STEP_NUM_TASKS") : -1;
    struct launch_env launch = find_manager(slurm_size);
    if (!launch.is_rank)
        return launch;
    launch.dir = getenv(LAUNCH_DIR_ENV);
    /* Of another size are the ranks of a Hydra that starts its proxies as tasks of a step. */
    launch.by_srun = launch.size == slurm_size;
    if (launch.by_srun && slurm_size == 1 && !launch.dir)
        return (struct launch_env){.rank = -1};
    if (launch.by_srun)
        launch.launcher = "srun";
    const long index = number(LAUNCH_INDEX_ENV);
    launch.index = index > 0 ? (int)index : 0;
    return launch;
}
