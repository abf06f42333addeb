#include "bench/launch/launch_dir.h"
#include "bench/launch/launch_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka_all.h"

static const char *const known[] = {
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "PMIX_RANK",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_NTASKS",
    "SLURM_JOB_ID",
    LAUNCH_DIR_ENV,
};

struct example {
    const char *environment; /* "NAME=VALUE NAME=VALUE" */
    bool is_rank;
    int rank, size;
    bool by_srun;
};

static const struct example examples[] = {
    {"", false, -1, 0},
    {"PMI_RANK=3 PMI_SIZE=8", true, 3, 8},
    {"PMIX_RANK=1 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4", true, 1, 4},
    /* srun --mpi=pmix: PMIx names no size, the step does. */
    {"PMIX_RANK=2 SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=6", true, 2, 6, true},
    {"PMIX_RANK=2", true, 2, 0},
    /* srun of an MPI that Slurm knows nothing of. */
    {"SLURM_STEP_ID=3 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=16", true, 5, 16, true},
    /* A batch script, and the shell that salloc opens in an interactive step. */
    {"SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=16", false, -1, 0},
    {"SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=16 SLURM_STEP_ID=4294967290 "
     "SLURM_STEP_NUM_TASKS=1",
     false, -1, 0},
    /* The shell of srun --pty bash, and the ranks that spbench and a bare mpiexec start from it;
     * those of a Hydra that starts its two proxies with srun. */
    {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMI_RANK=0 PMI_SIZE=1", false, -1, 0},
    {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMI_RANK=0 PMI_SIZE=1 "
     "SPBENCH_LAUNCH_DIR=/dir",
     true, 0, 1, true},
    {"SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMI_RANK=2 PMI_SIZE=4", true, 2, 4},
    {"SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_RANK=2 PMI_SIZE=4", true, 2, 4},
    {"SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_RANK=1 PMI_SIZE=2", true, 1, 2,
     true},
    {"PMI_RANK=x PMI_SIZE=2", false, -1, 0},
    {"PMI_RANK= PMI_SIZE=2", false, -1, 0},
};

static void detection(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char text[256], *rest = NULL;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            unsetenv(known[k]);
        snprintf(text, sizeof text, "%s", examples[i].environment);
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            char *value = strchr(word, '=');
            *value++ = '\0';
            setenv(word, value, 1);
        }
        const struct launch_env launch = launch_env_read();
        if (launch.is_rank != examples[i].is_rank || launch.rank != examples[i].rank ||
            launch.size != examples[i].size || launch.by_srun != examples[i].by_srun)
            fail_msg("%s: rank %d of %d", examples[i].environment, launch.rank, launch.size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(detection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
