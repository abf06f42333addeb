#include "tests/attn/method/covering.h"

#include <string.h>

#include "base/random.h"

/* Two values that have not met. */
struct pair {
    int i, a, j, b;
};

static bool unmet_pair(const struct covering *c, struct pair *p) {
    for (p->i = 0; p->i < c->dims; p->i++)
        for (p->j = p->i + 1; p->j < c->dims; p->j++)
            for (p->a = 0; p->a < c->size[p->i]; p->a++)
                for (p->b = 0; p->b < c->size[p->j]; p->b++)
                    if (!c->met[p->i][p->a][p->j][p->b])
                        return true;
    return false;
}

/* Marks what meets in the row, or only counts it; pairs that had not met. */
static int meet(struct covering *c, const int row[COVERING_DIMS], bool mark) {
    bool counts[COVERING_DIMS];
    int n = 0;
    for (int i = 0; i < c->dims; i++)
        counts[i] = c->counts(row, i, c->arg);
    for (int i = 0; i < c->dims; i++)
        for (int j = i + 1; j < c->dims; j++) {
            bool *met = &c->met[i][row[i]][j][row[j]];
            if (!counts[i] || !counts[j] || *met)
                continue;
            n++;
            *met = mark;
        }
    return n;
}

static void draw(struct covering *c, const struct pair *p, int row[COVERING_DIMS]) {
    for (int i = 0; i < c->dims; i++) {
        const struct philox r = philox4x32((struct philox){{c->drawn, (uint32_t)i}}, 0, 0);
        row[i] = (int)(r.v[0] % (uint32_t)c->size[i]);
    }
    row[p->i] = p->a;
    row[p->j] = p->b;
    c->drawn++;
}

bool covering_next(struct covering *c, int row[COVERING_DIMS]) {
    enum { DRAWS = 1000 };
    struct pair p;
    while (unmet_pair(c, &p)) {
        int most = 0;
        for (int k = 0; k < DRAWS; k++) {
            int candidate[COVERING_DIMS];
            draw(c, &p, candidate);
            const int n = meet(c, candidate, false);
            if (n <= most || !c->counts(candidate, p.i, c->arg) ||
                !c->counts(candidate, p.j, c->arg))
                continue;
            most = n;
            memcpy(row, candidate, sizeof candidate);
        }
        c->met[p.i][p.a][p.j][p.b] = true; /* or it never can */
        if (most == 0)
            continue;
        meet(c, row, true);
        c->rows++;
        return true;
    }
    return false;
}
