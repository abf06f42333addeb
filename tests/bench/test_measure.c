#include "bench/measure.h"

#include <math.h>

#include "tests/mpi_test.h"

static struct trace trace;

static void busy(double seconds) {
    const double until = clock_s() + seconds;
    while (clock_s() < until)
        ;
}

/* The last rank takes the longest; a part of it is a phase. */
static void uneven(void *arg) {
    int *runs = arg;
    ++*runs;
    busy(1e-4 * test_world.rank);
    trace_begin(&trace, PHASE_EXCHANGE);
    busy(1e-4);
    trace_end(&trace);
}

static void count(void *arg) {
    ++*(int *)arg;
}

static const struct measure_config quick = {
    .rel_ci = 0.5, .min_samples = 12, .max_samples = 300, .max_time_s = 1, .max_warmup_s = 0.05};

static void the_slowest_rank_counts(void **state) {
    (void)state;
    struct measurement m;
    int runs = 0;
    const struct measure_variant v = {NULL, uneven, &runs, 1, 0};
    assert_int_equal(measure(&test_world, &trace, &quick, &v, 1, &m), ST_OK);
    assert_true(m.time.n >= 12 || !m.converged);
    assert_true(m.time.min >= 1e-4 * test_world.size);
    double sum = 0;
    for (int p = 0; p <= PHASES; p++)
        sum += m.phases[p];
    assert_true(fabs(sum - m.time.median) <= 1e-9 * sum);
    assert_true(m.phases[PHASE_EXCHANGE] > 0);
    /* Every rank has the same samples and the same verdict. */
    double same[2] = {m.time.median, -m.time.median};
    group_max(&test_world, same, 2);
    assert_true(same[0] == -same[1]);
    double n[2] = {runs, -runs};
    group_max(&test_world, n, 2);
    assert_true(n[0] == -n[1]);
    measurement_free(&m);
}

static void variants_are_interleaved(void **state) {
    (void)state;
    enum { FIRST, NO_SHARE, FOUR_AT_LEAST, HALF, N };
    struct measurement m[N];
    int runs[N] = {0};
    const struct measure_variant v[N] = {[FIRST] = {NULL, uneven, &runs[0], 1, 0},
                                         [NO_SHARE] = {NULL, uneven, &runs[1], 0, 0},
                                         [FOUR_AT_LEAST] = {NULL, uneven, &runs[2], 0, 4},
                                         [HALF] = {NULL, uneven, &runs[3], 0.5, 0}};

    assert_int_equal(measure(&test_world, &trace, &quick, v, N, m), ST_OK);
    assert_int_equal(m[NO_SHARE].time.n, 1);
    assert_int_equal(runs[NO_SHARE], 1);
    assert_in_range(m[FOUR_AT_LEAST].time.n, 4, 8); /* a batch begun is ended */
    assert_true(m[HALF].time.n > 1);
    assert_true(m[FIRST].time.n > m[FOUR_AT_LEAST].time.n);
    for (int i = 0; i < N; i++)
        measurement_free(&m[i]);
}

static void bounds_are_kept(void **state) {
    (void)state;
    struct measurement m;

    struct measure_config config = quick;
    config.rel_ci = 0; /* never reached */
    config.max_samples = 25;
    const struct measure_variant v = {count, uneven, &(int){0}, 1, 0};

    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_int_equal(m.time.n, 25);
    assert_false(m.converged);
    measurement_free(&m);
    config.max_samples = 100000;
    config.max_time_s = 0; /* at least one round */
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_true(m.time.n >= 1 && m.time.n < 1000);
    measurement_free(&m);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_slowest_rank_counts),
        cmocka_unit_test(variants_are_interleaved),
        cmocka_unit_test(bounds_are_kept),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
