/* An independent measurement of MPI_Alltoall, in the manner of OSU's and IMB's: no line of spbench
 * in it. Prints "BYTES SECONDS" for each whole send buffer given on the command line: the median
 * over iterations of the slowest rank's time. compare_alltoall.sh sets it beside `spbench comm`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 200, WARMUP = 20 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_time(size_t bytes, int ranks) {
    static double t[ITERATIONS];
    char *send = malloc(bytes), *recv = malloc(bytes);
    if (!send || !recv)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(send, 1, bytes);
    memset(recv, 2, bytes);
    const int count = (int)(bytes / (size_t)ranks);
    const int n = bytes > 4u << 20 ? ITERATIONS / 4 : ITERATIONS;
    for (int i = -WARMUP; i < n; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        MPI_Alltoall(send, count, MPI_CHAR, recv, count, MPI_CHAR, MPI_COMM_WORLD);
        if (i >= 0)
            t[i] = MPI_Wtime() - start;
    }
    MPI_Allreduce(MPI_IN_PLACE, t, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    free(send);
    free(recv);
    qsort(t, (size_t)n, sizeof t[0], ascending);
    return 0.5 * (t[(n - 1) / 2] + t[n / 2]);
}

int main(int argc, char **argv) {
    int rank = 0, ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; i++) {
        const size_t bytes = strtoul(argv[i], NULL, 10);
        const double t = median_time(bytes, ranks);
        if (rank == 0)
            printf("%zu %.9f\n", bytes, t);
    }
    MPI_Finalize();
    return 0;
}
