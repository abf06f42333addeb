#include "results/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Type 7: linear between the order statistics around 1 + (n - 1) q. */
static double quantile(const double *sorted, size_t n, double q) {
    const double h = (double)(n - 1) * q;
    const size_t i = (size_t)h;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (h - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* Largest r (from 1) with 2 P(Bin(n, 1/2) < r) <= 5%, 0 when there is none. Term by term in
 * logarithms, since 2^-n underflows from n = 1075. */
static size_t ci_rank(size_t n) {
    double log_pmf = -(double)n * log(2.0), below = 0.0;
    for (size_t r = 1; r <= n / 2; r++) {
        below += exp(log_pmf); /* now P(Bin < r) */
        if (2.0 * below > 0.05)
            return r - 1;
        log_pmf += log((double)(n - r + 1) / (double)r);
    }
    return n / 2; /* not reached: the middle order statistics never cover 95% */
}

static void count_outliers(const double *sorted, size_t n, struct summary *out) {
    const double q1 = quantile(sorted, n, 0.25), q3 = quantile(sorted, n, 0.75);
    const double iqr = q3 - q1;
    for (size_t i = 0; i < n; i++) {
        const double beyond = fmax(q1 - sorted[i], sorted[i] - q3);
        if (beyond > 3.0 * iqr)
            out->outliers_extreme++;
        else if (beyond > 1.5 * iqr)
            out->outliers_mild++;
    }
}

enum status stats_summarise(const double *x, size_t n, struct summary *out) {
    if (n == 0)
        return fail(ST_USAGE, "statistics: no samples to summarise");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return fail(ST_USAGE, "statistics: sample %zu of %zu is not finite", i, n);
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return fail(ST_ENV, "statistics: no memory for %zu samples", n);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);

    *out = (struct summary){.n = n, .median = quantile(sorted, n, 0.5), .min = sorted[0]};
    const size_t r = ci_rank(n);
    if (r > 0) {
        out->has_ci95 = true;
        out->ci95_lo = sorted[r - 1];
        out->ci95_hi = sorted[n - r];
    }
    out->has_p95 = n >= STATS_P95_SAMPLES;
    if (out->has_p95)
        out->p95 = quantile(sorted, n, 0.95);
    out->has_p99 = n >= STATS_P99_SAMPLES;
    if (out->has_p99)
        out->p99 = quantile(sorted, n, 0.99);
    count_outliers(sorted, n, out);

    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(sorted[i] - out->median);
    qsort(sorted, n, sizeof *sorted, by_value);
    out->mad = quantile(sorted, n, 0.5);
    free(sorted);
    return ST_OK;
}

double stats_ci_halfwidth_rel(const struct summary *summary) {
    if (!summary->has_ci95 || summary->median <= 0.0)
        return INFINITY;
    return 0.5 * (summary->ci95_hi - summary->ci95_lo) / summary->median;
}

bool stats_ci_overlap(const struct summary *a, const struct summary *b) {
    if (!a->has_ci95 || !b->has_ci95)
        return true;
    return a->ci95_lo <= b->ci95_hi && b->ci95_lo <= a->ci95_hi;
}
