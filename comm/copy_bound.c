#include "comm/copy_bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/trace.h"
#include "comm/copy_rows.h"

static double timed_copy(const struct group *group, copy_rows_fn *copy, char *to, const char *from,
                         size_t bytes, int pieces) {
    group_barrier(group);
    const double start = clock_s();
    for (int p = 0; p < pieces; p++) {
        const size_t begin = bytes / (size_t)pieces * (size_t)p;
        const size_t end = p == pieces - 1 ? bytes : bytes / (size_t)pieces * (size_t)(p + 1);
        const struct rectangle piece = {
            .to = to + begin, .from = from + begin, .row_bytes = end - begin, .rows = 1};
        copy(&piece, 1, 0, 1);
    }
    double t = clock_s() - start;
    group_max(group, &t, 1);
    return t;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double copy_bound(const struct group *group, size_t bytes, int pieces, double budget_s) {
    enum { REPEATS = 21, LEAST = 5 };
    copy_rows_fn *const ways[] = {copy_rows_plain, copy_rows_streaming()};
    if (bytes == 0 || pieces < 1)
        return 0;
    char *from = malloc(bytes), *to = malloc(bytes);
    double missing = !from || !to;
    group_max(group, &missing, 1);
    double best = 0;
    if (missing == 0) {
        memset(from, 1, bytes);
        memset(to, 2, bytes);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            double t[REPEATS];
            int n = 0;
            double spent = timed_copy(group, ways[w], to, from, bytes, pieces); /* warm-up */
            /* All ranks have the same times, so they stop together. */
            while (n < REPEATS && (n < LEAST || spent < budget_s / 2)) {
                t[n] = timed_copy(group, ways[w], to, from, bytes, pieces);
                spent += t[n++];
            }
            qsort(t, (size_t)n, sizeof t[0], ascending);
            const double median = n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
            if (best == 0 || median < best)
                best = median;
        }
    }
    free(from);
    free(to);
    return best;
}
