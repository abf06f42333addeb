#include "bench/measure/balance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/trace.h"

static void add(struct balance *b, double seconds) {
    b->seconds[b->n++ % BALANCE_SAMPLES] = seconds;
}

void balance_run(struct balance *b, void (*run)(void *arg), void *arg) {
    const double start = clock_s();
    run(arg);
    add(b, clock_s() - start);
}

/* On a shared machine the clock on the wall also counts what others take. */
static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void balance_run_in_turn(struct balance *b, const struct group *world, double budget_s,
                         void (*run)(void *arg), void *arg) {
    enum { LEAST = 3, MOST = 15 };
    struct group asleep = *world;
    asleep.wait = WAIT_BLOCK;
    double spent = 0;
    for (int round = 0; round < MOST && (round < LEAST || spent < budget_s); round++) {
        const double start = clock_s();
        for (int r = 0; r < world->size; r++) {
            if (r == world->rank) {
                const double begin = processor_s();
                run(arg);
                add(b, processor_s() - begin);
            }
            group_barrier(&asleep);
        }
        spent += clock_s() - start;
        group_max(world, &spent, 1);
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const struct balance *b) {
    double sorted[BALANCE_SAMPLES];
    const size_t n = b->n < BALANCE_SAMPLES ? b->n : BALANCE_SAMPLES;
    if (n == 0)
        return 0;
    memcpy(sorted, b->seconds, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double balance_of(const struct balance *b, const struct group *world) {
    double most = median(b), sum = most;
    group_max(world, &most, 1);
    group_sum(world, &sum, 1);
    return most > 0 ? sum / world->size / most : 0;
}
