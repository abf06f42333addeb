/* A run's results, gathered, and against the reference, row by row. */
#include <math.h>
#include <stdlib.h>

#include "attn/check/reference.h"
#include "device/bf16.h"
#include "tests/attn/method/layer_reference.h"

/* Of a run's tensor, [batch, tokens, heads, width]. */
struct rows {
    const void *x;
    enum dtype dtype;
    int heads, width;
};

static float element(const void *x, enum dtype dtype, size_t at) {
    return dtype == DTYPE_FP32 ? ((const float *)x)[at] : bf16_to_float(((const uint16_t *)x)[at]);
}

/* Token `pos` of sequence b of this rank's group, counted over all of the reference's. */
static size_t token_of(const struct run *r, int b, int32_t pos) {
    const struct problem *p = &r->layer.attention.problem;
    return (size_t)(r->grid.dp_rank * p->batch + b) * (size_t)p->seq + (size_t)pos;
}

/* To their places among those of all sequences. */
static void scatter_rows(const struct run *r, struct rows rows, double *all) {
    const struct attention *a = &r->layer.attention;
    const size_t n = (size_t)rows.heads * (size_t)rows.width;
    size_t at = 0;
    for (int b = 0; b < a->problem.batch; b++)
        for (int t = 0; t < problem_local_tokens(&a->problem); t++, at += n)
            for (size_t i = 0; i < n && a->mine[t] != POS_NOWHERE; i++)
                all[token_of(r, b, a->mine[t]) * n + i] = element(rows.x, rows.dtype, at + i);
}

static void scatter_lse(const struct run *r, struct layer_tensors *all) {
    const struct problem *p = &r->layer.attention.problem;
    const struct lse_view mine = r->layer.attention.ops->lse(&r->layer.attention);
    size_t at = 0;
    for (int b = 0; b < p->batch; b++)
        for (int h = 0; h < mine.heads; h++)
            for (int t = 0; t < mine.tokens; t++, at++) {
                if (mine.pos[t] == POS_NOWHERE)
                    continue;
                const size_t row =
                    token_of(r, b, mine.pos[t]) * (size_t)p->heads + (size_t)(mine.head0 + h);
                all->lse[row] = mine.lse[at];
                if (p->backward)
                    all->delta[row] = mine.delta[at];
            }
}

struct layer_tensors layer_tensors_of_run(const struct layer_reference *ref, const struct run *r) {
    const struct attention *a = &r->layer.attention;
    const struct problem *p = &a->problem;
    const int d = p->head_dim, kv = p->kv_heads;
    const size_t q_n = ref->rows * (size_t)d, k_n = ref->kv_rows * (size_t)d;
    struct layer_tensors all = layer_tensors_new(ref, d);
    scatter_rows(r, (struct rows){a->o.data, p->dtype, p->heads, d}, all.o);
    scatter_lse(r, &all);
    if (p->backward) {
        const float *dk = a->dkv.data, *dv = dk + attention_kv_elements(p);
        scatter_rows(r, (struct rows){a->dq.data, DTYPE_FP32, p->heads, d}, all.dq);
        scatter_rows(r, (struct rows){dk, DTYPE_FP32, kv, d}, all.dk);
        scatter_rows(r, (struct rows){dv, DTYPE_FP32, kv, d}, all.dv);
    }
    double *const sums[] = {all.o, all.lse, all.delta, all.dq, all.dk, all.dv};
    const size_t sizes[] = {q_n, ref->rows, ref->rows, q_n, k_n, k_n};
    for (int i = 0; i < 6; i++)
        group_sum(r->grid.world, sums[i], (int)sizes[i]);
    return all;
}

/* terms [rows of ref], or NULL: 0. Padding must be zero. */
static double rows_error(const struct run *r, struct rows rows, const double *ref,
                         const double *terms) {
    static const double nothing[1024];
    const struct attention *a = &r->layer.attention;
    const int n = problem_local_tokens(&a->problem);
    const size_t w = (size_t)rows.width;
    double worst = 0;
    float x[1024];
    assert_true(w <= sizeof x / sizeof x[0]);
    size_t at = 0;
    for (int b = 0; b < a->problem.batch; b++)
        for (int t = 0; t < n; t++)
            for (int h = 0; h < rows.heads; h++) {
                for (size_t i = 0; i < w; i++)
                    x[i] = element(rows.x, rows.dtype, at++);
                if (a->mine[t] == POS_NOWHERE) {
                    worst = fmax(worst, ref_row_error(x, nothing, rows.width));
                    continue;
                }
                const size_t row = token_of(r, b, a->mine[t]) * (size_t)rows.heads + (size_t)h;
                worst = fmax(worst,
                             ref_grad_error(x, ref + row * w, rows.width, terms ? terms[row] : 0));
            }
    return worst;
}

/* Of the heads and tokens that this rank computes. */
static void lse_errors(const struct layer_reference *ref, const struct run *r,
                       double error[CHECK_TENSORS]) {
    const struct problem *p = &r->layer.attention.problem;
    const struct lse_view mine = r->layer.attention.ops->lse(&r->layer.attention);
    size_t at = 0;
    for (int b = 0; b < p->batch; b++)
        for (int h = 0; h < mine.heads; h++)
            for (int t = 0; t < mine.tokens; t++, at++) {
                const double lse = (double)mine.lse[at];
                if (mine.pos[t] == POS_NOWHERE) {
                    if (lse != -INFINITY)
                        error[CHECK_LSE] = INFINITY;
                    continue;
                }
                const size_t row =
                    token_of(r, b, mine.pos[t]) * (size_t)p->heads + (size_t)(mine.head0 + h);
                const double off = fabs(lse - ref->exact.lse[row]);
                error[CHECK_LSE] = isfinite(off) ? fmax(error[CHECK_LSE], off) : INFINITY;
                if (p->backward)
                    error[CHECK_DELTA] = fmax(
                        error[CHECK_DELTA], ref_grad_error(&mine.delta[at], &ref->exact.delta[row],
                                                           1, ref->delta_terms[row]));
            }
}

/* Rows [row0, row0 + rows) of a unit's gradient, as far as this rank's shard has them. */
static double shard_error(const struct params *unit, const double *ref, size_t row0, size_t rows,
                          size_t width) {
    const size_t shard = unit->shard_n * (size_t)unit->group->rank;
    const float *x = unit->grad_shard.data;
    double worst = 0;
    for (size_t row = row0; row < row0 + rows; row++) {
        double most = 0, off = 0;
        for (size_t i = row * width; i < (row + 1) * width; i++) {
            most = fmax(most, fabs(ref[i]));
            if (i < shard || i >= shard + unit->shard_n)
                continue;
            const double d = fabs((double)x[i - shard] - ref[i]);
            off = isfinite(d) ? fmax(off, d) : INFINITY;
        }
        worst = fmax(worst, off > 0 ? off / most : 0);
    }
    return worst;
}

static void projection_errors(const struct layer_reference *ref, const struct run *r,
                              double error[CHECK_TENSORS]) {
    const struct layer *l = &r->layer;
    const struct problem *p = &l->attention.problem;
    const size_t d = (size_t)p->head_dim, q = (size_t)p->heads * d, kv = (size_t)p->kv_heads * d;
    const size_t hidden = (size_t)p->hidden;
    error[CHECK_Y] = rows_error(r, (struct rows){l->y, DTYPE_FP32, 1, p->hidden}, ref->y, NULL);
    if (!p->backward)
        return;
    error[CHECK_DX] = rows_error(r, (struct rows){l->dx, DTYPE_FP32, 1, p->hidden}, ref->dx, NULL);
    error[CHECK_DWQ] = shard_error(&l->qkv, ref->dw_qkv, 0, q, hidden);
    error[CHECK_DWK] = shard_error(&l->qkv, ref->dw_qkv, q, kv, hidden);
    error[CHECK_DWV] = shard_error(&l->qkv, ref->dw_qkv, q + kv, kv, hidden);
    error[CHECK_DWO] = shard_error(&l->out, ref->dw_out, 0, hidden, q);
}

void layer_reference_errors(const struct layer_reference *ref, const struct run *r,
                            double error[CHECK_TENSORS]) {
    const struct attention *a = &r->layer.attention;
    const struct problem *p = &a->problem;
    const int d = p->head_dim, kv = p->kv_heads;
    for (int i = 0; i < CHECK_TENSORS; i++)
        error[i] = 0;
    error[CHECK_O] =
        rows_error(r, (struct rows){a->o.data, p->dtype, p->heads, d}, ref->exact.o, NULL);
    lse_errors(ref, r, error);
    if (p->backward) {
        const float *dk = a->dkv.data, *dv = dk + attention_kv_elements(p);
        error[CHECK_DQ] = rows_error(r, (struct rows){a->dq.data, DTYPE_FP32, p->heads, d},
                                     ref->exact.dq, ref->dq_terms);
        error[CHECK_DK] =
            rows_error(r, (struct rows){dk, DTYPE_FP32, kv, d}, ref->exact.dk, ref->dk_terms);
        error[CHECK_DV] = rows_error(r, (struct rows){dv, DTYPE_FP32, kv, d}, ref->exact.dv, NULL);
    }
    if (!p->core_only)
        projection_errors(ref, r, error);
    group_max(r->grid.world, error, CHECK_TENSORS);
}
