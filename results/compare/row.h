/* One compared case, and how comparisons are printed; internal to compare. */
#ifndef SPB_RESULTS_COMPARE_ROW_H
#define SPB_RESULTS_COMPARE_ROW_H

#include "results/compare/compare.h"

enum compare_verdict {
    COMPARE_SAME,
    COMPARE_NOT_SIGNIFICANT, /* a change of the median that chance may have made */
    COMPARE_IMPROVEMENT,
    COMPARE_REGRESSION,
    COMPARE_INCONCLUSIVE,
    COMPARE_WRONG,
    COMPARE_ONLY_BASE,
    COMPARE_ONLY_NEW,
    COMPARE_VERDICTS
};

/* times[0] is BASE, times[1] NEW; n is 0 where there are no samples. */
struct compare_row {
    const char *name; /* the case, borrowed */
    char *label;      /* the case, short; owned */
    double *samples[2];
    size_t count[2];
    struct summary times[2];
    bool tested; /* change and p hold */
    double change, p;
    bool new_is_wrong;
    bool seen[2];
    enum compare_verdict verdict;
};

/* A format: one row of a table. */
struct compare_printer {
    const char *name;
    void (*print)(const struct compare_row *rows, size_t n, const struct compare_options *options,
                  FILE *out);
};

#endif
