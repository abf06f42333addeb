#include "bench/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

const char *launcher_path(void) {
    const char *named = getenv("SPBENCH_MPIEXEC");
    return named && *named ? named : SPBENCH_MPIEXEC;
}

/* Variables of Open MPI 4 (OMPI_) and 5 (PRTE_), which mean nothing to others. They travel with any
 * launcher, as options would not. */
static const struct setting {
    const char *variable, *value;
    bool root_only;
} settings[] = {
    /* More ranks than cores are a thing to measure here, and each rank then waits accordingly. */
    {"OMPI_MCA_rmaps_base_oversubscribe", "1", false},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", false},
    /* --bind is ours: a binding of the launcher's would pass for the user's. */
    {"OMPI_MCA_hwloc_base_binding_policy", "none", false},
    {"PRTE_MCA_hwloc_default_binding_policy", "none", false},
    /* Who runs spbench as root, as one does in containers, runs its ranks as root: they are the
     * same program, and the question that mpiexec would ask has been answered. */
    {"OMPI_ALLOW_RUN_AS_ROOT", "1", true},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", true},
    {"PRTE_ALLOW_RUN_AS_ROOT", "1", true},
    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1", true},
};

void launcher_prepare(void) {
    const bool root = geteuid() == 0;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (root || !settings[i].root_only)
            setenv(settings[i].variable, settings[i].value, 0);
}
