#include "attn/method/parts/slice.h"

struct slice slice_of_tokens(const struct attention *a) {
    const struct problem *p = &a->problem;
    return (struct slice){
        .heads = {0, p->heads, 0, p->kv_heads},
        .tokens = problem_local_tokens(p),
        .pos = a->pos,
        .q = &a->q,
        .kv = &a->kv,
        .o = &a->o,
        .dout = &a->dout,
        .dq = &a->dq,
        .dkv = &a->dkv,
    };
}

static size_t elements(const struct attention *a, const struct slice *s, int heads) {
    return (size_t)a->problem.batch * (size_t)s->tokens * (size_t)heads *
           (size_t)a->problem.head_dim;
}

size_t slice_q_elements(const struct attention *a, const struct slice *s) {
    return elements(a, s, s->heads.nq);
}

size_t slice_k_elements(const struct attention *a, const struct slice *s) {
    return elements(a, s, s->heads.nkv);
}

size_t slice_rows(const struct attention *a, const struct slice *s) {
    return (size_t)a->problem.batch * (size_t)s->heads.nq * (size_t)s->tokens;
}

struct rows_shape slice_rows_shape(const struct attention *a, const struct slice *s) {
    return (struct rows_shape){a->problem.batch, s->tokens, s->heads.nq, a->problem.head_dim};
}

struct attn_args slice_args(const struct attention *a, const struct slice *s, int rank) {
    const struct problem *p = &a->problem;
    const size_t k = slice_k_elements(a, s);
    const int32_t *pos = s->pos + (size_t)rank * (size_t)s->tokens;
    return (struct attn_args){
        .batch = p->batch,
        .heads = s->heads.nq,
        .kv_heads = s->heads.nkv,
        .head_dim = p->head_dim,
        .q_tokens = s->tokens,
        .k_tokens = s->tokens,
        .q_head0 = s->heads.q0,
        .kv_head0 = s->heads.kv0,
        .group = p->heads / p->kv_heads,
        .scale = problem_logit_scale(p),
        .mask = &p->mask,
        .q_pos = pos,
        .k_pos = pos,
        .q = s->q->data,
        .k = s->kv->data,
        .v = (const char *)s->kv->data + k * dtype_bytes(p->dtype),
        .o = s->o->data,
        .dout = s->dout->data,
        .dq = s->dq->data,
        .dk = s->dkv->data,
        .dv = s->dkv->data ? (float *)s->dkv->data + k : NULL,
        .workspace = a->workspace,
    };
}
