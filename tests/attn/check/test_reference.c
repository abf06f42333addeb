/* The reference itself: its gradients are the slopes of its forward pass. */
#include "attn/check/reference.h"

#include <math.h>

#include "tests/cmocka_all.h"

enum { N = 5, D = 8 };

/* A loss sum(dO * O) of N causal tokens, one head, and what its gradients need. */
struct tiny {
    double q[N * D], k[N * D], v[N * D], dout[N * D];
    double lse[N], delta[N];
    int32_t pos[N];
    struct mask mask;
};

static void fill(double *x, int n, double phase) {
    for (int i = 0; i < n; i++)
        x[i] = sin(phase + 1.7 * i * i);
}

static struct ref_keys keys_of(const struct tiny *t) {
    return (struct ref_keys){N, D, 0.6, &t->mask, t->pos, t->k, t->v};
}

static double loss(struct tiny *t) {
    const struct ref_keys keys = keys_of(t);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double o[D];
        ref_forward(&keys, t->q + (size_t)i * D, t->pos[i], o, &t->lse[i]);
        t->delta[i] = 0;
        for (int j = 0; j < D; j++)
            t->delta[i] += t->dout[i * D + j] * o[j];
        sum += t->delta[i];
    }
    return sum;
}

static struct tiny make(void) {
    struct tiny t = {.mask = {.causal = true}};
    fill(t.q, N * D, 0.1);
    fill(t.k, N * D, 1.2);
    fill(t.v, N * D, 2.3);
    fill(t.dout, N * D, 3.4);
    for (int i = 0; i < N; i++)
        t.pos[i] = i;
    loss(&t);
    return t;
}

/* Central difference of the loss in *x, which lies in t. */
static double slope(struct tiny *t, double *x) {
    const double at = *x, h = 1e-5;
    *x = at + h;
    const double up = loss(t);
    *x = at - h;
    const double down = loss(t);
    *x = at;
    loss(t);
    return (up - down) / (2 * h);
}

static void gradients_are_slopes(void **state) {
    (void)state;
    struct tiny t = make();
    for (int i = 0; i < N; i++) {
        const struct ref_keys keys = keys_of(&t);
        const struct ref_queries queries = {N, D, 0.6, &t.mask, t.pos, t.q, t.dout, t.lse, t.delta};
        const int at = i * D;
        double dq[D], dk[D], dv[D];
        ref_dq(&keys, t.q + at, t.pos[i], t.dout + at, t.lse[i], t.delta[i], dq);
        ref_dkv(&queries, t.k + at, t.v + at, t.pos[i], dk, dv);
        for (int j = 0; j < D; j++) {
            assert_true(fabs(dq[j] - slope(&t, &t.q[at + j])) < 1e-8);
            assert_true(fabs(dk[j] - slope(&t, &t.k[at + j])) < 1e-8);
            assert_true(fabs(dv[j] - slope(&t, &t.v[at + j])) < 1e-8);
        }
    }
}

/* Two keys with logits log 3 and 0 are weighted 3 : 1. */
static void softmax_by_hand(void **state) {
    (void)state;
    const struct mask full = {0};
    const double k[2] = {log(3.0), 0}, v[2] = {10, 2}, q = 1;
    const int32_t pos[2] = {0, 1};
    const struct ref_keys keys = {2, 1, 1.0, &full, pos, k, v};
    double o, lse;
    ref_forward(&keys, &q, 0, &o, &lse);
    assert_true(fabs(o - 8) < 1e-14);
    assert_true(fabs(lse - log(4.0)) < 1e-14);
}

static void no_key_gives_nothing(void **state) {
    (void)state;
    struct tiny t = make();
    for (int i = 0; i < N; i++)
        t.pos[i] = i + 100;
    const struct ref_keys keys = keys_of(&t);
    double x[D], lse;
    ref_forward(&keys, t.q, 99, x, &lse);
    assert_true(lse == -INFINITY);
    for (int j = 0; j < D; j++)
        assert_true(x[j] == 0);
    assert_true(ref_dq(&keys, t.q, 99, t.dout, lse, 0, x) == 0);
    for (int j = 0; j < D; j++)
        assert_true(x[j] == 0);
}

static void errors_are_relative_to_the_row(void **state) {
    (void)state;
    const double ref[3] = {1, -4, 2}, zero[3] = {0};
    const float exact[3] = {1, -4, 2}, off[3] = {1, -4, 2.5f}, none[3] = {0};
    const float nan_row[3] = {1, NAN, 2}, inf_row[3] = {INFINITY, -4, 2};
    assert_true(ref_row_error(exact, ref, 3) == 0);
    assert_true(ref_row_error(off, ref, 3) == 0.125);
    assert_true(ref_row_error(none, ref, 3) == 1);
    assert_true(ref_row_error(none, zero, 3) == 0);
    assert_true(ref_row_error(off, zero, 3) == INFINITY);
    assert_true(ref_row_error(nan_row, ref, 3) == INFINITY);
    assert_true(ref_row_error(inf_row, ref, 3) == INFINITY);
    assert_true(ref_grad_error(off, ref, 3, 10) == 0.125);
    assert_true(ref_grad_error(off, ref, 3, 80) == 0.0625);
    assert_true(ref_grad_error(nan_row, ref, 3, 80) == INFINITY);
}

/* A query that sees one key has dq = 0, computed as the difference of two equal dot products. These
 * may cancel too, here to nothing; their rounding does not. */
static void terms_do_not_cancel(void **state) {
    (void)state;
    const struct mask causal = {.causal = true};
    const double k[2] = {0.5, 2}, v[2] = {1, -1}, q[2] = {1, 1}, dout[2] = {3, 3};
    const int32_t pos = 0;
    const double lse = 2.5, delta = 0;
    const struct ref_keys keys = {1, 2, 1.0, &causal, &pos, k, v};
    const struct ref_queries queries = {1, 2, 1.0, &causal, &pos, q, dout, &lse, &delta};
    double dq[2], dk[2], dv[2];
    assert_true(ref_dq(&keys, q, 0, dout, lse, delta, dq) == 12);
    assert_true(ref_dkv(&queries, k, v, 0, dk, dv) == 6);
    assert_true(dq[0] == 0 && dq[1] == 0 && dk[0] == 0 && dk[1] == 0);
    assert_true(dv[0] == 3 && dv[1] == 3);
}

/* dO and O are large in different elements: delta is then made of elements of dO that are right to
 * a part of the row's greatest one, 1e6 times themselves, and the products' own sizes say nothing
 * of how right it can be. What is wrong beside the row's size still shows. */
static void delta_is_as_right_as_its_row(void **state) {
    (void)state;
    const double dout[2] = {1, 1e-6}, o[2] = {1e-6, 1};
    double delta;
    const double terms = ref_delta(dout, o, 2, &delta);
    assert_true(fabs(delta - 2e-6) < 1e-20 && fabs(terms - (1 + 1e-6)) < 1e-15);
    const float rounded = (float)(delta + 6e-8), wrong = (float)(delta + 1e-3);
    assert_true(ref_grad_error(&rounded, &delta, 1, terms) < 1e-6);
    assert_true(ref_grad_error(&wrong, &delta, 1, terms) > 9e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_is_as_right_as_its_row),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(softmax_by_hand),
        cmocka_unit_test(no_key_gives_nothing),
        cmocka_unit_test(terms_do_not_cancel),
        cmocka_unit_test(errors_are_relative_to_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
