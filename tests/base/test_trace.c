#include "base/trace.h"

#include "tests/cmocka_all.h"

static void busy(double seconds) {
    const double until = clock_s() + seconds;
    while (clock_s() < until)
        ;
}

/* An inner phase's time is not the outer one's, and all of them sum to the time that passed. */
static void self_time(void **state) {
    (void)state;
    struct trace trace = {0};
    const double start = clock_s();
    trace_begin(&trace, PHASE_RING);
    busy(0.004);
    trace_begin(&trace, PHASE_PACK);
    assert_int_equal(trace_current(&trace), PHASE_PACK);
    busy(0.008);
    trace_end(&trace);
    assert_int_equal(trace_current(&trace), PHASE_RING);
    trace_end(&trace);
    const double passed = clock_s() - start;
    assert_true(trace.self_s[PHASE_RING] >= 0.004);
    assert_true(trace.self_s[PHASE_PACK] >= 0.008);
    assert_true(trace.self_s[PHASE_RING] + trace.self_s[PHASE_PACK] <= passed);
    assert_int_equal(trace_current(&trace), PHASES);
    trace_reset(&trace);
    assert_true(trace.self_s[PHASE_RING] == 0.0);
}

/* Deeper than the stack keeps: the innermost kept phase takes the time, nothing is overwritten. */
static void too_deep(void **state) {
    (void)state;
    struct trace trace = {0};
    for (int i = 0; i < TRACE_DEPTH + 3; i++)
        trace_begin(&trace, PHASE_MERGE);
    for (int i = 0; i < TRACE_DEPTH + 3; i++)
        trace_end(&trace);
    assert_int_equal(trace.depth, 0);
}

static void every_phase_has_a_name(void **state) {
    (void)state;
    for (int p = 0; p < PHASES; p++)
        assert_non_null(phase_name((enum phase)p));
    assert_string_equal(phase_name(PHASES), "other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_time),
        cmocka_unit_test(too_deep),
        cmocka_unit_test(every_phase_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
