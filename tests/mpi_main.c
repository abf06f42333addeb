#include "tests/mpi_test.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

struct group test_world;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    group_init(&test_world, WAIT_YIELD);
    /* One rank reports; the others' failures still fail the test. */
    if (test_world.rank > 0) {
        log_set_rank(test_world.rank, 1);
        if (!freopen("/dev/null", "w", stdout))
            return 1;
    }
    double failed = tests();
    group_max(&test_world, &failed, 1);
    group_free(&test_world);
    MPI_Finalize();
    return failed != 0;
}
