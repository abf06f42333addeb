#include "attn/check/reference.h"

#include <math.h>
#include <stddef.h>

static const double *row(const double *x, int i, int n) {
    return x + (size_t)i * (size_t)n;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Size of the terms of a dot product: what its rounding is relative to. */
static double dot_terms(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(a[i] * b[i]);
    return sum;
}

static double largest(const double *x, int n) {
    double max = 0;
    for (int i = 0; i < n; i++)
        max = fmax(max, fabs(x[i]));
    return max;
}

static void add_scaled(double *y, double a, const double *x, int n) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void clear(double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

void ref_forward(const struct ref_keys *keys, const double *q, int32_t q_pos, double *o,
                 double *lse) {
    const int d = keys->head_dim;
    double max = -INFINITY;
    for (int j = 0; j < keys->n; j++)
        if (mask_visible(keys->mask, q_pos, keys->pos[j]))
            max = fmax(max, keys->scale * dot(q, row(keys->k, j, d), d));

    clear(o, d);
    *lse = -INFINITY;
    if (max == -INFINITY)
        return;

    double sum = 0;
    for (int j = 0; j < keys->n; j++) {
        if (!mask_visible(keys->mask, q_pos, keys->pos[j]))
            continue;
        const double p = exp(keys->scale * dot(q, row(keys->k, j, d), d) - max);
        sum += p;
        add_scaled(o, p, row(keys->v, j, d), d);
    }
    for (int i = 0; i < d; i++)
        o[i] /= sum;
    *lse = max + log(sum);
}

double ref_dq(const struct ref_keys *keys, const double *q, int32_t q_pos, const double *dout,
              double lse, double delta, double *dq) {
    const int d = keys->head_dim;
    double terms = 0;
    clear(dq, d);
    for (int j = 0; j < keys->n; j++) {
        if (!mask_visible(keys->mask, q_pos, keys->pos[j]))
            continue;
        const double *k = row(keys->k, j, d);
        const double p = exp(keys->scale * dot(q, k, d) - lse);
        const double *v = row(keys->v, j, d);
        add_scaled(dq, keys->scale * p * (dot(dout, v, d) - delta), k, d);
        terms += keys->scale * p * (dot_terms(dout, v, d) + fabs(delta)) * largest(k, d);
    }
    return terms;
}

double ref_dkv(const struct ref_queries *queries, const double *k, const double *v, int32_t k_pos,
               double *dk, double *dv) {
    const int d = queries->head_dim;
    double terms = 0;
    clear(dk, d);
    clear(dv, d);
    for (int i = 0; i < queries->n; i++) {
        if (!mask_visible(queries->mask, queries->pos[i], k_pos))
            continue;
        const double *q = row(queries->q, i, d);
        const double *dout = row(queries->dout, i, d);
        const double delta = queries->delta[i];
        const double p = exp(queries->scale * dot(q, k, d) - queries->lse[i]);
        add_scaled(dk, queries->scale * p * (dot(dout, v, d) - delta), q, d);
        add_scaled(dv, p, dout, d);
        terms += queries->scale * p * (dot_terms(dout, v, d) + fabs(delta)) * largest(q, d);
    }
    return terms;
}

double ref_delta(const double *dout, const double *o, int n, double *delta) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size += fabs(o[i]);
    *delta = dot(dout, o, n);
    return largest(dout, n) * size;
}

double ref_row_error(const float *x, const double *ref, int n) {
    return ref_grad_error(x, ref, n, 0);
}

double ref_grad_error(const float *x, const double *ref, int n, double terms) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return INFINITY;
        worst = fmax(worst, fabs(x[i] - ref[i]));
    }
    if (worst == 0)
        return 0;
    return worst / fmax(largest(ref, n), terms / 10); /* infinite if the reference is zero */
}
