/* The gathered parameters, element by element: every rank can regenerate them. */
#include <math.h>
#include <string.h>

#include "attn/check/part.h"

enum { PIECE = 1024 };

typedef void row_fn(const struct problem *p, size_t row, int col, int n, float *out);

/* Gathers the unit once more and counts its wrong elements on this rank. */
static uint64_t wrong_elements(const struct check *c, const struct params *unit, row_fn *row,
                               size_t width) {
    const float *whole = params_gather(unit);
    uint64_t wrong = 0;
    for (size_t at = 0; at < unit->n;) {
        float want[PIECE], got[PIECE];
        const size_t col = at % width;
        const size_t n = width - col < PIECE ? width - col : PIECE;
        row(c->p, at / width, (int)col, (int)n, want);
        unit->dev->row->download(unit->dev, got, whole + at, n * sizeof *got);
        for (size_t i = 0; i < n; i++)
            wrong += memcmp(&want[i], &got[i], sizeof want[i]) != 0;
        at += n;
    }
    return wrong;
}

void check_weights(struct check *c) {
    const struct problem *p = c->p;
    uint64_t wrong = wrong_elements(c, &c->l->qkv, layer_qkv_weights, (size_t)p->hidden);
    wrong +=
        wrong_elements(c, &c->l->out, layer_out_weights, (size_t)p->heads * (size_t)p->head_dim);
    check_note(c, CHECK_WEIGHTS, wrong > 0 ? INFINITY : 0);
}
