/* The Mann-Whitney U test of results/stats/stats.h. */
#include "results/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* C(50, 25) = 1.3e14: every count below is an integer that a double holds exactly. */
enum { EXACT_MAX = 25 };

struct tagged {
    double value;
    bool from_b;
};

static int by_value(const void *a, const void *b) {
    const double x = ((const struct tagged *)a)->value, y = ((const struct tagged *)b)->value;
    return (x > y) - (x < y);
}

/* P(U >= u) from the exact distribution. The number of arrangements with U = k is the coefficient
 * of q^k in the Gaussian binomial prod_{i=1..m} (1 - q^(n+i)) / (1 - q^i) (Andrews: "The Theory of
 * Partitions", section 3.2). The distribution is symmetric, so the upper tail from u is the lower
 * one up to mn - u. */
static double exact_tail(size_t m, size_t n, size_t u) {
    double count[EXACT_MAX * EXACT_MAX + 1] = {1.0};
    const size_t top = m * n;
    for (size_t i = 1; i <= m; i++) {
        for (size_t k = top; k >= n + i; k--)
            count[k] -= count[k - n - i];
        for (size_t k = i; k <= top; k++)
            count[k] += count[k - i];
    }
    double all = 0.0, tail = 0.0;
    for (size_t k = 0; k <= top; k++) {
        all += count[k];
        if (k <= top - u)
            tail += count[k];
    }
    return tail / all;
}

/* Upper tail by the normal approximation. ties = sum of t^3 - t over groups of t equal values. */
static double normal_tail(double m, double n, double u, double ties) {
    const double total = m + n;
    const double variance = m * n / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if (variance <= 0.0)
        return 1.0; /* everything equal */
    return 0.5 * erfc((u - 0.5 * m * n - 0.5) / sqrt(2.0 * variance));
}

static bool all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

enum status stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb,
                               struct rank_test *out) {
    if (na == 0 || nb == 0)
        return fail(ST_USAGE, "rank test: samples of %zu and %zu, both must have one", na, nb);
    if (!all_finite(a, na) || !all_finite(b, nb))
        return fail(ST_USAGE, "rank test: a sample is not finite");
    const size_t total = na + nb;
    struct tagged *all = malloc(total * sizeof *all);
    if (!all)
        return fail(ST_ENV, "rank test: no memory for %zu samples", total);
    for (size_t i = 0; i < total; i++)
        all[i] = i < na ? (struct tagged){a[i], false} : (struct tagged){b[i - na], true};
    qsort(all, total, sizeof *all, by_value);

    double u = 0.0, ties = 0.0, a_below = 0.0;
    for (size_t i = 0; i < total;) {
        double a_here = 0.0, b_here = 0.0;
        size_t j = i;
        for (; j < total && all[j].value <= all[i].value; j++) {
            a_here += !all[j].from_b;
            b_here += all[j].from_b;
        }
        u += b_here * (a_below + 0.5 * a_here);
        a_below += a_here;
        const double t = (double)(j - i);
        ties += t * t * t - t;
        i = j;
    }
    free(all);

    out->u = u;
    out->exact = ties <= 0.0 && na <= EXACT_MAX && nb <= EXACT_MAX;
    out->p =
        out->exact ? exact_tail(na, nb, (size_t)u) : normal_tail((double)na, (double)nb, u, ties);
    return ST_OK;
}

double stats_mann_whitney_min_p(size_t na, size_t nb) {
    double p = 1.0; /* 1 / C(na + nb, na), factor by factor */
    for (size_t i = 1; i <= na; i++)
        p *= (double)i / (double)(nb + i);
    return p;
}
