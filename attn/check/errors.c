/* What is kept of the comparisons: the greatest error of a row, and the sums of the RMS. */
#include <math.h>

#include "attn/check/part.h"
#include "attn/check/reference.h"

void check_note(struct check *c, enum check_tensor tensor, double error) {
    struct check_errors *e = &c->errors[tensor];
    /* A NaN would lose every comparison. */
    e->max = fmax(e->max, isnan(error) ? INFINITY : error);
    e->rows++;
}

void check_squares(struct check *c, enum check_tensor tensor, const float *x, const double *ref,
                   int n, double terms) {
    struct check_errors *e = &c->errors[tensor];
    for (int i = 0; i < n; i++) {
        e->diff += (x[i] - ref[i]) * (x[i] - ref[i]);
        e->ref += ref[i] * ref[i];
        e->terms += terms * terms;
    }
}

void check_elements(struct check *c, enum check_tensor tensor, const float *x, const double *ref,
                    int n, double terms) {
    check_note(c, tensor, ref_grad_error(x, ref, n, terms));
    check_squares(c, tensor, x, ref, n, terms);
}

void check_number(struct check *c, enum check_tensor tensor, double x, double ref) {
    check_note(c, tensor, fabs(x - ref));
    c->errors[tensor].diff += (x - ref) * (x - ref);
    c->errors[tensor].ref += 1;
}

static double rms(const struct check_errors *e) {
    static const double cancelled = 1e-5; /* of the terms: little more than fp32 keeps of them */
    if (!isfinite(e->max))
        return INFINITY;
    if (e->ref <= cancelled * cancelled * e->terms)
        return NAN;
    return sqrt(e->diff / e->ref);
}

void check_combine(struct check *c, struct check_report *out) {
    enum { SUMS = 4 };
    double max[CHECK_TENSORS], sums[CHECK_TENSORS][SUMS];
    for (int i = 0; i < CHECK_TENSORS; i++) {
        const struct check_errors *e = &c->errors[i];
        max[i] = e->max;
        sums[i][0] = e->rows;
        sums[i][1] = e->diff;
        sums[i][2] = e->ref;
        sums[i][3] = e->terms;
    }
    group_max(c->l->grid->world, max, CHECK_TENSORS);
    group_sum(c->l->grid->world, sums[0], CHECK_TENSORS * SUMS);
    for (int i = 0; i < CHECK_TENSORS; i++) {
        const struct check_errors all = {max[i], sums[i][0], sums[i][1], sums[i][2], sums[i][3]};
        out->error[i] = all.max;
        out->rms[i] = rms(&all);
        out->compared[i] = (long)all.rows;
        out->rows += out->compared[i];
    }
}
