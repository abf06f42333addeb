/* Padding sees nothing and is seen by nothing: its rows of O and of the gradients are zero,
 * exactly.
 */
#include <math.h>

#include "attn/check/part.h"

/* Of the head at element `at`; x [head_dim]. */
static void check_zero(struct check *c, enum check_tensor tensor, const void *data,
                       enum dtype dtype, size_t at, float *x) {
    const int d = c->p->head_dim;
    check_read(c, data, dtype, at, d, x);
    for (int i = 0; i < d; i++)
        if (x[i] != 0)
            check_note(c, tensor, INFINITY);
}

static void check_token(struct check *c, size_t row, float *x) {
    const struct problem *p = c->p;
    const struct attention *a = &c->l->attention;
    const size_t d = (size_t)p->head_dim, q = row * (size_t)p->heads * d;
    const size_t k = row * (size_t)p->kv_heads * d, v = attention_kv_elements(p) + k;
    for (size_t h = 0; h < (size_t)p->heads; h++) {
        check_zero(c, CHECK_O, a->o.data, p->dtype, q + h * d, x);
        if (p->backward)
            check_zero(c, CHECK_DQ, a->dq.data, DTYPE_FP32, q + h * d, x);
    }
    for (size_t h = 0; p->backward && h < (size_t)p->kv_heads; h++) {
        check_zero(c, CHECK_DK, a->dkv.data, DTYPE_FP32, k + h * d, x);
        check_zero(c, CHECK_DV, a->dkv.data, DTYPE_FP32, v + h * d, x);
    }
}

void check_padding(struct check *c, float *x) {
    const int n = problem_local_tokens(c->p);
    for (int b = 0; b < c->p->batch; b++)
        for (int t = 0; t < n; t++)
            if (c->l->attention.mine[t] == POS_NOWHERE)
                check_token(c, (size_t)b * (size_t)n + (size_t)t, x);
}
