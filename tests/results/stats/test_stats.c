#include "results/stats/stats.h"

#include "tests/cmocka_all.h"

#include <math.h>
#include <string.h>

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.17g, want %.17g", got, want);
}

/* 1..n in a scrambled order, so that order statistics are their own ranks. */
static void ranks(double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = (double)((i * 7919) % n) + 1.0;
}

/* Ranks of the exact binomial interval, as tables of the sign test give them (n = 20: 6 and 15,
 * n = 50: 18 and 33; all verified against a binomial CDF). */
static void ci_ranks(void **state) {
    (void)state;
    static const struct {
        size_t n, r;
    } table[] = {{6, 1},  {7, 1},  {8, 1},   {9, 2},    {10, 2},
                 {20, 6}, {25, 8}, {50, 18}, {100, 40}, {2000, 956}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double x[2000];
        ranks(x, table[i].n);
        struct summary s;
        assert_int_equal(stats_summarise(x, table[i].n, &s), ST_OK);
        assert_true(s.has_ci95);
        near(s.ci95_lo, (double)table[i].r, 0.0);
        near(s.ci95_hi, (double)(table[i].n + 1 - table[i].r), 0.0);
        near(s.median, 0.5 * (double)(table[i].n + 1), 0.0);
    }
}

static void what_exists_by_n(void **state) {
    (void)state;
    double x[100];
    for (size_t n = 1; n <= 100; n++) {
        ranks(x, n);
        struct summary s;
        assert_int_equal(stats_summarise(x, n, &s), ST_OK);
        assert_int_equal(s.n, n);
        assert_int_equal(s.has_ci95, n >= 6);
        assert_int_equal(s.has_p95, n >= 20);
        assert_int_equal(s.has_p99, n >= 100);
        assert_int_equal(isfinite(stats_ci_halfwidth_rel(&s)), n >= 6);
        near(s.min, 1.0, 0.0);
    }
}

/* Values of NumPy's percentile() and of the definition for MAD; the input stays as it was. */
static void known_sample(void **state) {
    (void)state;
    const double x[] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3.6};
    double copy[20];
    memcpy(copy, x, sizeof copy);
    struct summary s;
    assert_int_equal(stats_summarise(copy, 20, &s), ST_OK);
    assert_memory_equal(copy, x, sizeof copy);
    near(s.median, 4.0, 0.0);
    near(s.p95, 8.05, 1e-12);
    near(s.mad, 2.0, 1e-12);
    near(s.min, 0.0, 0.0);
    assert_int_equal(s.outliers_mild, 0);
    assert_int_equal(s.outliers_extreme, 0);
    near(stats_ci_halfwidth_rel(&s), 0.5 * (s.ci95_hi - s.ci95_lo) / 4.0, 1e-15);
}

/* Quartiles of 1..9 and two far values: 3.5 and 8.5 (type 7), IQR 5, fences at -4/16 and
 * -11.5/23.5. */
static void outliers_are_counted_not_dropped(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 24};
    struct summary s;
    assert_int_equal(stats_summarise(x, 11, &s), ST_OK);
    assert_int_equal(s.n, 11);
    assert_int_equal(s.outliers_mild, 1);
    assert_int_equal(s.outliers_extreme, 1);
}

static void refuses_what_it_cannot_summarise(void **state) {
    (void)state;
    struct summary s;
    assert_int_equal(stats_summarise(NULL, 0, &s), ST_USAGE);
    assert_int_equal(stats_summarise((double[]){1, NAN, 2}, 3, &s), ST_USAGE);
    assert_int_equal(stats_summarise((double[]){1, INFINITY}, 2, &s), ST_USAGE);
    struct rank_test t;
    assert_int_equal(stats_mann_whitney(NULL, 0, (double[]){1}, 1, &t), ST_USAGE);
    assert_int_equal(stats_mann_whitney((double[]){1}, 1, (double[]){NAN}, 1, &t), ST_USAGE);
}

static void overlap_needs_two_intervals(void **state) {
    (void)state;
    const struct summary low = {.has_ci95 = true, .ci95_lo = 1, .ci95_hi = 2};
    const struct summary high = {.has_ci95 = true, .ci95_lo = 2.5, .ci95_hi = 3};
    const struct summary both = {.has_ci95 = true, .ci95_lo = 1.5, .ci95_hi = 2.6};
    const struct summary none = {.median = 9};
    assert_false(stats_ci_overlap(&low, &high));
    assert_true(stats_ci_overlap(&low, &both));
    assert_true(stats_ci_overlap(&both, &high));
    assert_true(stats_ci_overlap(&low, &none));
}

/* Reference values: scipy.stats.mannwhitneyu(b, a, alternative='greater'). */
static void rank_test_against_scipy(void **state) {
    (void)state;
    struct rank_test t;
    const double a[] = {1.1, 2.2, 3.3, 4.4, 5.5, 6.6};
    const double b[] = {3.5, 4.6, 5.7, 6.8, 7.9, 9.1, 2.5};
    assert_int_equal(stats_mann_whitney(a, 6, b, 7, &t), ST_OK);
    assert_true(t.exact);
    near(t.u, 32.0, 0.0);
    near(t.p, 0.06876456876456877, 1e-14);

    const double c[] = {1, 2, 2, 3, 3, 3, 4, 5}, d[] = {3, 4, 4, 5, 5, 6, 6, 7, 2};
    assert_int_equal(stats_mann_whitney(c, 8, d, 9, &t), ST_OK);
    assert_false(t.exact);
    near(t.u, 58.5, 0.0);
    near(t.p, 0.015879478574031856, 1e-14);
    assert_int_equal(stats_mann_whitney(d, 9, c, 8, &t), ST_OK);
    near(t.p, 0.9876172774448116, 1e-14);

    double e[40], f[30];
    for (size_t i = 0; i < 30; i++) {
        e[i] = 2.0 * (double)i;
        f[i] = e[i] + 5.3;
    }
    assert_int_equal(stats_mann_whitney(e, 25, f, 25, &t), ST_OK);
    assert_true(t.exact);
    near(t.u, 372.0, 0.0);
    near(t.p, 0.12738800363682015, 1e-13);
    for (size_t i = 0; i < 40; i++)
        e[i] = 1.5 * (double)i;
    assert_int_equal(stats_mann_whitney(e, 40, f, 30, &t), ST_OK);
    assert_false(t.exact);
    near(t.p, 0.12852809266054277, 1e-13);
}

/* The extreme arrangement has probability 1 / C(m + n, m): Mann and Whitney's own table begins so
 * (m = n = 3: 0.05, m = n = 4: 0.014). */
static void smallest_p(void **state) {
    (void)state;
    const double low[] = {1, 2, 3, 4, 5, 6}, high[] = {11, 12, 13, 14, 15, 16};
    struct rank_test t;
    assert_int_equal(stats_mann_whitney(low, 3, high, 3, &t), ST_OK);
    near(t.p, 0.05, 1e-15);
    for (size_t m = 1; m <= 6; m++)
        for (size_t n = 1; n <= 6; n++) {
            assert_int_equal(stats_mann_whitney(low, m, high, n, &t), ST_OK);
            near(t.p, stats_mann_whitney_min_p(m, n), 1e-15);
            assert_int_equal(stats_mann_whitney(high, m, low, n, &t), ST_OK);
            near(t.p, 1.0, 1e-15);
        }
    near(stats_mann_whitney_min_p(4, 4), 1.0 / 70.0, 1e-15);
}

static void all_equal_says_nothing(void **state) {
    (void)state;
    const double x[] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct rank_test t;
    assert_int_equal(stats_mann_whitney(x, 8, x, 8, &t), ST_OK);
    near(t.p, 1.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ci_ranks),
        cmocka_unit_test(what_exists_by_n),
        cmocka_unit_test(known_sample),
        cmocka_unit_test(outliers_are_counted_not_dropped),
        cmocka_unit_test(refuses_what_it_cannot_summarise),
        cmocka_unit_test(overlap_needs_two_intervals),
        cmocka_unit_test(rank_test_against_scipy),
        cmocka_unit_test(smallest_p),
        cmocka_unit_test(all_equal_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
