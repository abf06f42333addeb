#include "results/stats/link_fit.h"

#include <math.h>

#include "tests/cmocka_all.h"

enum { SIZES = 10 };

/* 8 B, then times 4. scatter[i % 5] is how far point i lies off the line, relatively. */
static void make_curve(double latency, double bytes_per_s, const double *scatter,
                       struct link_point *out) {
    double bytes = 8;
    for (int i = 0; i < SIZES; i++, bytes *= 4)
        out[i] = (struct link_point){bytes, (latency + bytes / bytes_per_s) *
                                                (1 + (scatter ? scatter[i % 5] : 0))};
}

static bool near(double a, double b, double rel) {
    return fabs(a - b) <= rel * fabs(b);
}

static void an_exact_line_is_found(void **state) {
    (void)state;
    static const double latencies[] = {0, 2e-7, 3e-6, 1e-3}, rates[] = {1e8, 1.2e10, 4e11};
    for (int l = 0; l < 4; l++)
        for (int r = 0; r < 3; r++) {
            struct link_point curve[SIZES];
            struct link_fit fit;
            make_curve(latencies[l], rates[r], NULL, curve);
            assert_true(link_fit(curve, SIZES, &fit));
            assert_true(fabs(fit.latency_s - latencies[l]) <= 1e-6 * latencies[l] + 1e-15);
            assert_true(near(fit.bytes_per_s, rates[r], 1e-4));
            assert_true(fit.max_rel_error < 1e-6 && fit.rms_rel_error <= fit.max_rel_error);
        }
}

/* Errors of up to 4% move neither number by more, and are what the fit reports. */
static void noise_is_averaged_and_reported(void **state) {
    (void)state;
    static const double scatter[] = {0.04, -0.03, 0.01, -0.04, 0.02};
    struct link_point curve[SIZES];
    struct link_fit fit;
    make_curve(2e-6, 1e10, scatter, curve);
    assert_true(link_fit(curve, SIZES, &fit));
    assert_true(near(fit.latency_s, 2e-6, 0.04));
    assert_true(near(fit.bytes_per_s, 1e10, 0.04));
    assert_true(fit.max_rel_error > 0.03 && fit.max_rel_error < 0.06);
    assert_true(fit.rms_rel_error > 0.02 && fit.rms_rel_error < 0.04);
    double most = 0, squares = 0;
    for (int i = 0; i < SIZES; i++) {
        const double error = (fit.latency_s + curve[i].bytes / fit.bytes_per_s - curve[i].seconds) /
                             curve[i].seconds;
        most = fmax(most, fabs(error));
        squares += error * error;
    }
    assert_true(near(fit.max_rel_error, most, 1e-9));
    assert_true(near(fit.rms_rel_error, sqrt(squares / SIZES), 1e-9));
}

/* A change of protocol is no line: the small end is still met, and the error says how far off. */
static void relative_errors_keep_the_small_end(void **state) {
    (void)state;
    struct link_point curve[SIZES];
    struct link_fit fit;
    make_curve(1e-6, 1e10, NULL, curve);
    for (int i = 6; i < SIZES; i++)
        curve[i].seconds *= 2;
    assert_true(link_fit(curve, SIZES, &fit));
    assert_true(near(fit.latency_s, 1e-6, 0.3));
    assert_true(fit.max_rel_error > 0.1);
}

static void a_latency_is_never_negative(void **state) {
    (void)state;
    const struct link_point curve[] = {{100, 1e-6}, {1000, 1.2e-5}, {10000, 1.5e-4}};
    struct link_fit fit;
    assert_true(link_fit(curve, 3, &fit));
    assert_true(fit.latency_s >= 0);
    assert_true(fit.bytes_per_s > 6e7 && fit.bytes_per_s < 1.1e8);
    assert_true(fit.max_rel_error > 0.05);
}

static void what_is_no_line_is_refused(void **state) {
    (void)state;
    const struct link_point one[] = {{8, 1e-6}};
    const struct link_point same[] = {{8, 1e-6}, {8, 2e-6}, {8, 3e-6}};
    const struct link_point falling[] = {{8, 3e-6}, {80, 2e-6}, {800, 1e-6}};
    const struct link_point zero[] = {{8, 0}, {80, 2e-6}};
    const struct link_point odd[] = {{8, NAN}, {80, 2e-6}};
    const struct link_point two[] = {{8, 1e-6}, {80, 2e-6}};
    struct link_fit fit;
    assert_false(link_fit(one, 0, &fit));
    assert_false(link_fit(one, 1, &fit));
    assert_false(link_fit(same, 3, &fit));
    assert_false(link_fit(falling, 3, &fit));
    assert_false(link_fit(zero, 2, &fit));
    assert_false(link_fit(odd, 2, &fit));
    assert_true(link_fit(two, 2, &fit)); /* exactly */
    assert_true(near(fit.bytes_per_s, 7.2e7, 1e-6) && fit.max_rel_error < 1e-6);
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(an_exact_line_is_found),
        cmocka_unit_test(noise_is_averaged_and_reported),
        cmocka_unit_test(relative_errors_keep_the_small_end),
        cmocka_unit_test(a_latency_is_never_negative),
        cmocka_unit_test(what_is_no_line_is_refused),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
