/* Transports set beside each other, run by run in turn, so that a noisy machine hits all alike.
 *
 * usage: perf_transports WAIT alltoall BYTES...   whole send buffers
 *        perf_transports WAIT ulysses SEQ...      bf16, 32/8 heads, head_dim 128
 *
 * Per size and transport: the median over runs of the slowest rank's time, and the median of the
 * ratios to shm in the same round; for ulysses also the bound of a plain copy. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/copy/bound.h"
#include "comm/op/op.h"

#include "tests/comm/rows.h"

enum { WAYS = 3, ROUNDS = 101 };

static const struct way {
    const char *transport, *algorithm;
} ways[WAYS] = {{"shm", "auto"}, {"mpi", "pairwise"}, {"mpi", "alltoall"}};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int n) {
    double sorted[ROUNDS];
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

static double least(const double *x, int n) {
    double m = x[0];
    for (int i = 1; i < n; i++)
        m = x[i] < m ? x[i] : m;
    return m;
}

static double timed(const struct group *world, struct op *op) {
    group_barrier(world);
    const double start = clock_s();
    op_run(op);
    double t = clock_s() - start;
    group_max(world, &t, 1);
    return t;
}

/* The faster way of the two. */
static double timed_bound(const struct group *world, const struct copy_bound *b) {
    double best = 0;
    for (int w = 0; w < COPY_BOUND_WAYS; w++) {
        group_barrier(world);
        const double start = clock_s();
        copy_bound_run(b, copy_bound_way(w));
        double t = clock_s() - start;
        group_max(world, &t, 1);
        best = best == 0 || t < best ? t : best;
    }
    return best;
}

static void compare(struct group *world, const struct op_row *row, const struct op_params *p,
                    const char *size) {
    struct mem_ledger ledger = {0};
    struct trace trace = {0};
    struct transport *t[WAYS];
    struct op ops[WAYS];
    static double times[WAYS][ROUNDS], ratios[WAYS][ROUNDS], bounds[ROUNDS], fractions[ROUNDS];
    for (int w = 0; w < WAYS; w++) {
        const struct transport_config config = {.algorithm = algorithm_named(ways[w].algorithm),
                                                .ledger = &ledger,
                                                .trace = &trace,
                                                .world = world,
                                                .host_key = 1};
        if (transport_open(transport_named(ways[w].transport), &config, &t[w]) != ST_OK ||
            op_create(row, OP_FORWARD, p, t[w], world, &ops[w]) != ST_OK)
            MPI_Abort(MPI_COMM_WORLD, 1);
        op_fill(&ops[w]);
    }
    const size_t bytes = op_send_buffer(row, OP_FORWARD, p, world->size);
    struct copy_bound bound = {0};
    if (p->by_shape && !copy_bound_open(bytes, world->size, &bound))
        MPI_Abort(MPI_COMM_WORLD, 1);
    int rounds = bytes > 8u << 20 ? 15 : ROUNDS;
    for (int r = -2; r < rounds; r++) {
        for (int w = 0; w < WAYS; w++) {
            /* Twice, since the first one also pays for what the other transport left in the caches.
             */
            timed(world, &ops[w]);
            const double s = timed(world, &ops[w]);
            if (r >= 0) {
                times[w][r] = s;
                ratios[w][r] = s / times[0][r];
            }
        }
        if (r >= 0 && p->by_shape) {
            bounds[r] = timed_bound(world, &bound);
            fractions[r] = bounds[r] / times[0][r];
        }
    }
    if (world->rank == 0) {
        printf("%10s", size);
        for (int w = 0; w < WAYS; w++)
            printf("  %s/%s %.2f us (x%.2f, min %.2f)", ways[w].transport, ways[w].algorithm,
                   1e6 * median(times[w], rounds), median(ratios[w], rounds),
                   1e6 * least(times[w], rounds));
        if (p->by_shape)
            printf("  bound %.2f us (min %.2f): fraction %.2f", 1e6 * median(bounds, rounds),
                   1e6 * least(bounds, rounds), median(fractions, rounds));
        printf("\n");
        fflush(stdout);
    }
    copy_bound_close(&bound);
    for (int w = 0; w < WAYS; w++) {
        op_free(&ops[w]);
        transport_close(t[w]);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    struct group world;
    enum wait_policy wait = WAIT_SPIN;
    while (argc > 1 && wait < WAIT_POLICIES && strcmp(wait_policy_name(wait), argv[1]) != 0)
        wait++;
    if (argc < 4 || wait == WAIT_POLICIES)
        MPI_Abort(MPI_COMM_WORLD, 2);
    group_init(&world, wait);
    const struct op_row *row = op_named(argv[2]);
    const bool by_shape = strcmp(argv[2], "ulysses") == 0;
    for (int i = 3; i < argc; i++) {
        const size_t size = strtoul(argv[i], NULL, 10);
        const struct op_params p = {.by_shape = by_shape,
                                    .bytes = size,
                                    .shape = {.batch = 1,
                                              .seq = size,
                                              .heads = 32,
                                              .kv_heads = 8,
                                              .head_dim = 128,
                                              .sp_size = world.size,
                                              .ulysses_size = world.size,
                                              .ring_size = world.size,
                                              .elem_bytes = by_shape ? 2 : 4,
                                              .grad_bytes = 4}};
        compare(&world, row, &p, argv[i]);
    }
    group_free(&world);
    MPI_Finalize();
    return 0;
}
