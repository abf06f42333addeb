/* What the projections made: Y and dX of sampled tokens from the run's own O, dQ, dK, dV, and
 * strips of the weight gradients as sums over all tokens of all ranks. */
#include <math.h>
#include <stdlib.h>

#include "attn/check/part.h"
#include "attn/check/reference.h"
#include "base/random.h"

enum { STRIP_ROWS = 4, STRIPS = 4 }; /* per weight matrix */

/* A weight matrix [rows, columns]: where it stands in its unit, and where the gradients of its
 * outputs are. */
struct matrix {
    enum check_tensor tensor;
    const struct params *unit;
    size_t row0; /* in the unit */
    int rows, columns;
    const float *dout; /* [tokens, rows]; NULL: dY, from the generator */
    const void *in;    /* [tokens, columns], in in_dtype; NULL: x */
    enum dtype in_dtype;
};

enum { MATRICES = 4 };

static void list_matrices(const struct check *c, struct matrix m[MATRICES]) {
    const struct problem *p = c->p;
    const struct layer *l = c->l;
    const int q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    const float *dk = l->attention.dkv.data, *dv = dk + attention_kv_elements(p);
    m[0] = (struct matrix){CHECK_DWQ, &l->qkv,   0, q, p->hidden, l->attention.dq.data,
                           NULL,      DTYPE_FP32};
    m[1] = (struct matrix){CHECK_DWK, &l->qkv, (size_t)q, kv, p->hidden, dk, NULL, DTYPE_FP32};
    m[2] =
        (struct matrix){CHECK_DWV, &l->qkv, (size_t)(q + kv), kv, p->hidden, dv, NULL, DTYPE_FP32};
    m[3] =
        (struct matrix){CHECK_DWO, &l->out, 0, p->hidden, q, NULL, l->attention.o.data, p->dtype};
}

/* The i-th of `parts` pieces of `size`, spread over [0, n) with both ends. */
static int spread(int n, int size, int parts, int i) {
    const int last = n > size ? n - size : 0;
    return parts > 1 ? (int)((int64_t)last * i / (parts - 1)) : last;
}

struct strip {
    const struct matrix *matrix;
    int row, rows, column, columns;
};

/* Rows rise with i while columns go round, so that strips lie in different shards. */
static struct strip strip_at(const struct matrix *m, int i) {
    const int rows = m->rows < STRIP_ROWS ? m->rows : STRIP_ROWS;
    const int columns = m->columns < CHECK_COLUMNS ? m->columns : CHECK_COLUMNS;
    return (struct strip){m, spread(m->rows, STRIP_ROWS, STRIPS, i), rows,
                          spread(m->columns, CHECK_COLUMNS, STRIPS, (i * 3 + 1) % STRIPS), columns};
}

/* n elements of the token `row` of [batch, tokens], from the run or the generator. */
static void token_elements(const struct check *c, const void *run, enum dtype dtype, int width,
                           enum tensor_id tensor, size_t row, int at, int n, float *out) {
    const size_t tokens = (size_t)problem_local_tokens(c->p);
    const uint32_t batch0 = layer_batch0(c->p, c->l->grid->dp_rank);
    if (run)
        check_read(c, run, dtype, row * (size_t)width + (size_t)at, n, out);
    else
        random_row(out, (size_t)n, c->p->seed, tensor, batch0 + (uint32_t)(row / tokens),
                   (uint32_t)c->l->attention.mine[row % tokens], 0, (uint32_t)at, 1.0f);
    check_round(c->p, out, (size_t)n);
}

/* This rank's tokens' share of a strip [STRIP_ROWS, CHECK_COLUMNS]. */
static void strip_sum(const struct check *c, const struct strip *s, double *sum) {
    const struct matrix *m = s->matrix;
    const size_t tokens = (size_t)c->p->batch * (size_t)problem_local_tokens(c->p);
    for (size_t t = 0; t < tokens; t++) {
        float dout[STRIP_ROWS], in[CHECK_COLUMNS];
        token_elements(c, m->dout, DTYPE_FP32, m->rows, TENSOR_DY, t, s->row, s->rows, dout);
        token_elements(c, m->in, m->in_dtype, m->columns, TENSOR_X, t, s->column, s->columns, in);
        for (int i = 0; i < s->rows; i++)
            for (int k = 0; k < s->columns; k++)
                sum[i * CHECK_COLUMNS + k] += (double)dout[i] * in[k];
    }
}

/* The elements of one row of a strip that this rank's shard holds. The tolerance is that of every
 * other row, though these are sums over all tokens: rounding grows as their terms' root mean square
 * does, and so do the sums. */
static void compare_strip_row(struct check *c, const struct strip *s, int row, const double *ref) {
    const struct matrix *m = s->matrix;
    const size_t at = (m->row0 + (size_t)(s->row + row)) * (size_t)m->columns + (size_t)s->column;
    const size_t first = (size_t)m->unit->group->rank * m->unit->shard_n;
    float x[CHECK_COLUMNS];
    int from = s->columns, to = 0; /* of the columns, those that are here */
    for (int k = 0; k < s->columns; k++) {
        const size_t e = at + (size_t)k;
        const bool here = e >= first && e < first + m->unit->shard_n;
        x[k] = (float)ref[k]; /* elsewhere: no error, but part of the row's max|ref| */
        if (!here)
            continue;
        check_read(c, m->unit->grad_shard.data, DTYPE_FP32, e - first, 1, &x[k]);
        from = k < from ? k : from;
        to = k + 1;
    }
    if (from >= to)
        return;
    check_note(c, m->tensor, ref_row_error(x, ref, s->columns));
    check_squares(c, m->tensor, x + from, ref + from, to - from, 0);
}

/* Collective over the world. */
static void check_weight_gradients(struct check *c, double *sums) {
    enum { ELEMENTS = STRIP_ROWS * CHECK_COLUMNS };
    struct matrix matrices[MATRICES];
    list_matrices(c, matrices);
    for (int i = 0; i < MATRICES * STRIPS; i++) {
        const struct strip s = strip_at(&matrices[i / STRIPS], i % STRIPS);
        strip_sum(c, &s, sums + (size_t)i * ELEMENTS);
    }
    group_sum(c->l->grid->world, sums, MATRICES * STRIPS * ELEMENTS);
    for (int i = 0; i < MATRICES * STRIPS; i++) {
        const struct strip s = strip_at(&matrices[i / STRIPS], i % STRIPS);
        for (int row = 0; row < s.rows; row++)
            compare_strip_row(c, &s, row,
                              sums + (size_t)i * ELEMENTS + (size_t)row * CHECK_COLUMNS);
    }
}

/* Rows' widths are bounded by the model, not by the sequence. */
static void check_y(struct check *c, int column, int columns, float *weights, float *row) {
    const struct problem *p = c->p;
    const int q = p->heads * p->head_dim;
    for (int k = 0; k < columns; k++)
        layer_out_weights(p, (size_t)column + (size_t)k, 0, q, weights + (size_t)k * (size_t)q);
    check_round(p, weights, (size_t)columns * (size_t)q);
    for (int i = 0; i < c->n_tokens; i++) {
        double ref[CHECK_COLUMNS] = {0};
        float y[CHECK_COLUMNS];
        check_read(c, c->l->attention.o.data, p->dtype, check_row(c, i) * (size_t)q, q, row);
        for (int k = 0; k < columns; k++)
            for (int j = 0; j < q; j++)
                ref[k] += (double)row[j] * weights[(size_t)k * (size_t)q + (size_t)j];
        check_read(c, c->l->y, DTYPE_FP32, check_row(c, i) * (size_t)p->hidden + (size_t)column,
                   columns, y);
        check_elements(c, CHECK_Y, y, ref, columns, 0);
    }
}

/* weights: [heads + 2 kv_heads, head_dim, CHECK_COLUMNS] */
static void check_dx(struct check *c, int column, int columns, float *weights, float *row) {
    const struct problem *p = c->p;
    const int q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    const float *dk = c->l->attention.dkv.data, *dv = dk + attention_kv_elements(p);
    for (int j = 0; j < q + 2 * kv; j++)
        layer_qkv_weights(p, (size_t)j, column, columns, weights + (size_t)j * CHECK_COLUMNS);
    check_round(p, weights, (size_t)(q + 2 * kv) * CHECK_COLUMNS);
    for (int i = 0; i < c->n_tokens; i++) {
        const size_t r = check_row(c, i);
        double ref[CHECK_COLUMNS] = {0};
        float dx[CHECK_COLUMNS];
        check_read(c, c->l->attention.dq.data, DTYPE_FP32, r * (size_t)q, q, row);
        check_read(c, dk, DTYPE_FP32, r * (size_t)kv, kv, row + q);
        check_read(c, dv, DTYPE_FP32, r * (size_t)kv, kv, row + q + kv);
        check_round(p, row, (size_t)(q + 2 * kv));
        for (int j = 0; j < q + 2 * kv; j++)
            for (int k = 0; k < columns; k++)
                ref[k] += (double)row[j] * weights[(size_t)j * CHECK_COLUMNS + (size_t)k];
        check_read(c, c->l->dx, DTYPE_FP32, r * (size_t)p->hidden + (size_t)column, columns, dx);
        check_elements(c, CHECK_DX, dx, ref, columns, 0);
    }
}

enum status check_projections(struct check *c) {
    const struct problem *p = c->p;
    const struct group *world = c->l->grid->world;
    const size_t width = (size_t)(p->heads + 2 * p->kv_heads) * (size_t)p->head_dim;
    const int columns = p->hidden < CHECK_COLUMNS ? p->hidden : CHECK_COLUMNS;
    const int column = spread(p->hidden, CHECK_COLUMNS, world->size, world->rank);
    float *weights = malloc(width * CHECK_COLUMNS * sizeof *weights);
    float *row = malloc(width * sizeof *row);
    double *sums = calloc((size_t)MATRICES * STRIPS * STRIP_ROWS * CHECK_COLUMNS, sizeof *sums);
    enum status st = ST_OK;
    if (!weights || !row || !sums)
        st = fail(ST_ENV, "out of memory for the check's reference; leave --check out");
    st = group_agree(world, st);
    if (st == ST_OK) {
        check_y(c, column, columns, weights, row);
        if (p->backward) {
            check_dx(c, column, columns, weights, row);
            check_weight_gradients(c, sums);
        }
    }
    free(sums);
    free(row);
    free(weights);
    return st;
}
