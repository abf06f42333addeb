#include "tests/attn/covering.h"

#include <string.h>

void covering_start(struct covering *c) {
    c->rows = 0;
    memset(c->met, 0, sizeof c->met);
}

static bool unmet_pair(const struct covering *c, int *i, int *a, int *j, int *b) {
    for (*i = 0; *i < c->dims; ++*i)
        for (*j = *i + 1; *j < c->dims; ++*j)
            for (*a = 0; *a < c->size[*i]; ++*a)
                for (*b = 0; *b < c->size[*j]; ++*b)
                    if (!c->met[*i][*a][*j][*b])
                        return true;
    return false;
}

/* Values that value v of dimension i would meet for the first time; -1: not chosen yet. */
static int meets(const struct covering *c, const int row[COVERING_DIMS], int i, int v) {
    int n = 0;
    for (int j = 0; j < c->dims; j++)
        n += j != i && row[j] >= 0 && !c->met[i][v][j][row[j]];
    return n;
}

/* Of equally good ones they take turns. */
static int best_value(const struct covering *c, const int row[COVERING_DIMS], int i) {
    int best = -1, most = -1;
    for (int k = 0; k < c->size[i]; k++) {
        const int v = (k + c->rows) % c->size[i], n = meets(c, row, i, v);
        if (n > most) {
            most = n;
            best = v;
        }
    }
    return best;
}

bool covering_next(struct covering *c, int row[COVERING_DIMS]) {
    int i, a, j, b;
    if (!unmet_pair(c, &i, &a, &j, &b))
        return false;
    for (int k = 0; k < c->dims; k++)
        row[k] = -1;
    row[i] = a;
    row[j] = b;
    for (int k = 0; k < c->dims; k++)
        if (row[k] < 0)
            row[k] = best_value(c, row, k);
    for (i = 0; i < c->dims; i++)
        for (j = 0; j < c->dims; j++)
            c->met[i][row[i]][j][row[j]] = true;
    c->rows++;
    return true;
}
