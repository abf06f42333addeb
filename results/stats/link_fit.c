#include "results/stats/link_fit.h"

#include <math.h>

/* Whether a line is determined: sound points of at least two sizes. */
static bool sound(const struct link_point *points, size_t n) {
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        const struct link_point *p = &points[i];
        if (!isfinite(p->bytes) || !isfinite(p->seconds) || p->bytes <= 0 || p->seconds <= 0)
            return false;
        differ = differ || p->bytes != points[0].bytes;
    }
    return differ;
}

/* The sums of the normal equations, with every row divided by its time: latency x + slope y = 1
 * where x = 1 / t, y = n / t. Sizes are in units of the largest one, so that the sums keep their
 * digits. */
struct sums {
    double x, y, xx, xy, yy;
};

static struct sums add_up(const struct link_point *points, size_t n, double unit) {
    struct sums s = {0};
    for (size_t i = 0; i < n; i++) {
        const double x = 1 / points[i].seconds, y = points[i].bytes / unit * x;
        s.x += x;
        s.y += y;
        s.xx += x * x;
        s.xy += x * y;
        s.yy += y * y;
    }
    return s;
}

static void measure_errors(const struct link_point *points, size_t n, struct link_fit *fit) {
    double squares = 0;
    fit->max_rel_error = 0;
    for (size_t i = 0; i < n; i++) {
        const double time = fit->latency_s + points[i].bytes / fit->bytes_per_s;
        const double error = time / points[i].seconds - 1;
        squares += error * error;
        fit->max_rel_error = fmax(fit->max_rel_error, fabs(error));
    }
    fit->rms_rel_error = sqrt(squares / (double)n);
}

bool link_fit(const struct link_point *points, size_t n, struct link_fit *out) {
    if (!sound(points, n))
        return false;
    double unit = 0;
    for (size_t i = 0; i < n; i++)
        unit = fmax(unit, points[i].bytes);
    const struct sums s = add_up(points, n, unit);
    const double determinant = s.xx * s.yy - s.xy * s.xy;
    if (!(determinant > 1e-14 * s.xx * s.yy)) /* sizes that differ by less than rounding */
        return false;
    double latency = (s.x * s.yy - s.y * s.xy) / determinant;
    double slope = (s.y * s.xx - s.x * s.xy) / determinant;
    if (latency < 0) {
        latency = 0;
        slope = s.y / s.yy;
    }
    if (!(slope > 0) || !isfinite(latency))
        return false;
    *out = (struct link_fit){.latency_s = latency, .bytes_per_s = unit / slope};
    measure_errors(points, n, out);
    return isfinite(out->bytes_per_s);
}
