/* Statistics of measured times: robust summaries and a rank test, no assumption of normality.
 *
 * Nothing here deletes an outlier: a slow iteration happened. It is counted instead. */
#ifndef SPB_RESULTS_STATS_STATS_H
#define SPB_RESULTS_STATS_STATS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    STATS_CI_SAMPLES = 6,   /* the fewest whose order statistics cover the median with 95% */
    STATS_P95_SAMPLES = 20, /* below, the quantile is little more than the maximum */
    STATS_P99_SAMPLES = 100,
};

/* What n samples say. A value whose flag is false was not computed and must not be shown. */
struct summary {
    size_t n;
    double median, min;
    double mad; /* median absolute deviation from the median, not scaled to a normal sigma */
    bool has_ci95, has_p95, has_p99;
    double ci95_lo, ci95_hi; /* of the median; two samples, so never outside what was measured */
    double p95, p99;
    size_t outliers_mild, outliers_extreme; /* beyond 1.5 and 3 IQR of the quartiles; disjoint */
};

/* Summarises x[n]; x is not changed. ST_USAGE when n is 0 or a sample is not finite, ST_ENV when
 * out of memory; *out is then undefined.
 *
 * Confidence interval: order statistics r and n+1-r with the largest r whose exact coverage
 * 1 - 2 P(Bin(n, 1/2) < r) is at least 95% (Hollander, Wolfe, Chicken: "Nonparametric Statistical
 * Methods", section 3.6; Hoefler, Belli: "Scientific Benchmarking of Parallel Computing Systems",
 * SC15). Quantiles: Hyndman and Fan's type 7, the default of R and NumPy. Fences: Tukey,
 * "Exploratory Data Analysis". */
enum status stats_summarise(const double *x, size_t n, struct summary *out);

/* Half the width of the confidence interval over the median; infinite without an interval or when
 * the median is not positive, so that `<= rel_ci` is the stopping rule as it stands. */
double stats_ci_halfwidth_rel(const struct summary *summary);

/* Do the confidence intervals overlap? True also when either is missing: no difference shown. */
bool stats_ci_overlap(const struct summary *a, const struct summary *b);

/* A one-sided Mann-Whitney U test. */
struct rank_test {
    double u;   /* pairs (a, b) with b > a, ties count one half */
    double p;   /* P(U >= u) under H0: both samples come from the same distribution */
    bool exact; /* from the exact null distribution, or from the normal approximation */
};

/* Tests whether b tends to be larger than a (H1). ST_USAGE when a sample is empty or not finite.
 *
 * Exact null distribution when nothing is tied and both have at most 25 samples; else the normal
 * approximation with tie and continuity correction. (Mann, Whitney: "On a Test of Whether one of
 * Two Random Variables is Stochastically Larger than the Other", 1947; Lehmann: "Nonparametrics",
 * section 1.4 for ties.) */
enum status stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb,
                               struct rank_test *out);

/* The smallest p that any untied samples of these sizes can reach: 1 / C(na+nb, na). */
double stats_mann_whitney_min_p(size_t na, size_t nb);

#endif
