/* Clocks that are wrong on purpose, found out. All ranks of a test share one true clock. */
#include "comm/ranks/clock_sync.h"

#include <math.h>

#include "base/trace.h"

#include "tests/mpi_test.h"

struct wrong_clock {
    double origin, offset, skew;
};

static double wrong_now(void *arg) {
    const struct wrong_clock *c = arg;
    const double t = clock_s();
    return t + c->offset + c->skew * (t - c->origin);
}

static void wait_s(double seconds) {
    const double until = clock_s() + seconds;
    while (clock_s() < until)
        ;
}

/* Rank 0's clock is right; the others are off by seconds and drift. */
static struct wrong_clock make_clock(double skew) {
    const int rank = test_world.rank;
    return (struct wrong_clock){clock_s(), -1000.5 * rank, rank % 2 ? skew : -skew * (rank > 0)};
}

/* Errors are measured by a clock that is taken to be off by 100 ppm. These may be off by 2%: they
 * measure an interruption, with rank 0's stamp at its very end, by so much too short. */
static const double misjudged = 1.05;

/* The estimate must hold what it promises: the truth lies within its error. A rank that is
 * interrupted between two readings makes the interval longer, not the test fail. */
static void assert_estimate(const struct clock_sync *sync) {
    for (int i = 0; i < 20; i++) {
        const double before = clock_s(), local = clock_now(&sync->clock), after = clock_s();
        const double global = clock_sync_global(sync, local);
        const double error = misjudged * clock_sync_error(sync, local) + 1e-9;
        assert_true(global >= before - error);
        assert_true(global <= after + error);
        assert_true(fabs(clock_sync_local(sync, global) - local) < 1e-8);
    }
}

static void an_offset_is_found(void **state) {
    (void)state;
    struct wrong_clock wrong = make_clock(0);
    struct clock_sync sync;
    clock_sync_open(&sync, &test_world, (struct clock){wrong_now, &wrong});
    assert_true(fabs(sync.last.offset + wrong.offset) <= sync.last.error + 1e-9);
    assert_true(sync.last.error < 1); /* far less than what it was off */
    assert_estimate(&sync);
}

static void a_skew_is_found(void **state) {
    (void)state;
    static const double skew = 0.02; /* seen above the noise of any machine in 0.1 s */
    struct wrong_clock wrong = make_clock(skew);
    struct clock_sync sync;
    clock_sync_open(&sync, &test_world, (struct clock){wrong_now, &wrong});
    wait_s(0.1);
    clock_sync_refresh(&sync, 1000); /* young enough: nothing happens */
    assert_true(sync.last.at == sync.anchor.at);
    clock_sync_refresh(&sync, 0.01);
    assert_true(sync.last.at > sync.anchor.at);
    /* Of rank 0's clock against this one. */
    const double expected = 1 / (1 + wrong.skew) - 1;
    assert_true(fabs(sync.skew - expected) <= misjudged * sync.skew_error + 1e-9);
    assert_estimate(&sync);
    wait_s(0.1);
    assert_estimate(&sync); /* extrapolated: without the skew it would be off by 2 ms */
    if (test_world.rank > 0 && sync.skew_error < skew / 3)
        assert_true(fabs(sync.skew) > skew / 2);
}

/* All ranks start after rank 0's announcement, and at one moment of the true clock. */
static void a_start_is_common(void **state) {
    (void)state;
    struct wrong_clock wrong = make_clock(0.9e-4);
    struct clock_sync sync;
    clock_sync_open(&sync, &test_world, (struct clock){wrong_now, &wrong});
    for (int i = 0; i < 10; i++) {
        const double before = clock_s();
        const double start = clock_sync_announce(&sync, 0.5);
        const double true_start =
            wrong.origin + (start - wrong.offset - wrong.origin) / (1 + wrong.skew);
        assert_true(true_start > before); /* half a second is more than any error here */
        double most = true_start, least = -true_start;
        double error = clock_sync_error(&sync, start);
        group_max(&test_world, &most, 1);
        group_max(&test_world, &least, 1);
        group_max(&test_world, &error, 1);
        assert_true(most + least <= 2 * error + 1e-8);
    }
    assert_true(isfinite(clock_sync_delay(&sync)));
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(an_offset_is_found),
        cmocka_unit_test(a_skew_is_found),
        cmocka_unit_test(a_start_is_common),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
