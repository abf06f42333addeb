/* A link as two numbers: t(n) = latency + n / bandwidth, fitted to a measured curve. */
#ifndef SPB_RESULTS_STATS_LINK_FIT_H
#define SPB_RESULTS_STATS_LINK_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* One message size and the time it takes. */
struct link_point {
    double bytes, seconds;
};

struct link_fit {
    double latency_s;   /* not negative */
    double bytes_per_s; /* asymptotic */
    /* What the model leaves unsaid: (model - measured) / measured, root mean square and largest. */
    double rms_rel_error, max_rel_error;
};

/* Fits points[n], in any order, by weighted least squares with weights 1 / t^2: it is the relative
 * error whose squares are summed, so that small messages count as much as large ones. (The linear
 * model: Hockney, "The communication challenge for MPP", Parallel Computing 20, 1994.) Where the
 * best latency would be negative it is 0 and the bandwidth alone is fitted.
 *
 * false, *out undefined, when the points do not determine a line: fewer than two different sizes, a
 * size or a time that is not positive and finite, or times that do not grow with the size. */
bool link_fit(const struct link_point *points, size_t n, struct link_fit *out);

#endif
