#include "tests/attn/compute/attn_case.h"

#include <math.h>
#include <stdlib.h>

#include "attn/check/reference.h"
#include "attn/compute/cpu/flash/kernel.h"
#include "base/random.h"
#include "device/bf16.h"

enum { SEED = 3 };

/* Uniform factors have variance 1/3, so that q.k / sqrt(d) has a standard deviation of 9/3. */
static const float Q_SCALE = 9;

static void *take(struct problem *p, size_t count, size_t size) {
    void *x = p->dev->row->alloc(p->dev, &p->ledger, MEM_ACTIVATIONS, count * size);
    if (!x)
        abort();
    return x;
}

static float *zeros(struct problem *p, size_t n) {
    float *x = take(p, n, sizeof *x);
    p->dev->row->zero(p->dev, x, n * sizeof *x);
    return x;
}

/* A generated tensor of the device's type. */
static void *tensor(struct problem *p, enum tensor_id id, const int32_t *pos, int tokens, int heads,
                    int head0, float scale) {
    const int d = p->args.head_dim, batch = p->args.batch;
    const size_t elem = dtype_bytes(p->compute->dtype);
    char *x = take(p, (size_t)batch * (size_t)tokens * (size_t)heads * (size_t)d, elem), *to = x;
    float row[HEAD_DIM_MAX];
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < tokens; t++)
            for (int h = 0; h < heads; h++, to += (size_t)d * elem) {
                random_row(row, (size_t)d, SEED, id, (uint32_t)b, (uint32_t)pos[t],
                           (uint32_t)(head0 + h), 0, scale);
                p->dev->row->convert(p->dev, to, p->compute->dtype, row, DTYPE_FP32, (size_t)d);
            }
    return x;
}

static int32_t *positions(struct problem *p, const struct attn_case *c, int rank, int *tokens) {
    const bool all = rank == ALL_KEYS;
    *tokens = all ? c->seq : c->seq / c->sp;
    int32_t *pos = take(p, (size_t)*tokens, sizeof *pos);
    if (all)
        layout_positions(LAYOUT_CONTIGUOUS, c->seq, 1, 0, pos);
    else
        layout_positions(c->layout, c->seq, c->sp, rank, pos);
    return pos;
}

struct problem *problem_new(struct compute *compute, const struct attn_case *c) {
    struct problem *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->compute = compute;
    p->dev = compute->dev;
    char why[256] = "";
    if (mask_open(c->mask, c->seq, &p->mask, why, sizeof why) != ST_OK || why[0])
        abort();
    struct attn_args *a = &p->args;
    *a = (struct attn_args){.batch = c->batch,
                            .heads = c->heads,
                            .kv_heads = c->kv_heads,
                            .head_dim = c->head_dim,
                            .q_head0 = c->q_head0,
                            .kv_head0 = c->kv_head0,
                            .group = c->group,
                            .scale = (float)(1 / sqrt(c->head_dim)),
                            .mask = &p->mask};
    int q_tokens, k_tokens;
    const int32_t *q_pos = positions(p, c, c->q_rank, &q_tokens);
    const int32_t *k_pos = positions(p, c, c->k_rank, &k_tokens);
    const size_t rows = (size_t)c->batch * (size_t)c->heads * (size_t)q_tokens;
    const size_t kv_rows = (size_t)c->batch * (size_t)c->kv_heads * (size_t)k_tokens;
    const size_t d = (size_t)c->head_dim;
    a->q_tokens = q_tokens;
    a->k_tokens = k_tokens;
    a->q_pos = q_pos;
    a->k_pos = k_pos;
    a->q = tensor(p, TENSOR_Q, q_pos, q_tokens, c->heads, c->q_head0, Q_SCALE);
    a->k = tensor(p, TENSOR_K, k_pos, k_tokens, c->kv_heads, c->kv_head0, 1);
    a->v = tensor(p, TENSOR_V, k_pos, k_tokens, c->kv_heads, c->kv_head0, 1);
    a->dout = tensor(p, TENSOR_DO, q_pos, q_tokens, c->heads, c->q_head0, 1);
    a->o = take(p, rows * d, dtype_bytes(compute->dtype));
    a->lse = take(p, rows, sizeof(float));
    p->delta = take(p, rows, sizeof(float));
    a->delta = p->delta;
    a->dq = zeros(p, rows * d);
    a->dk = zeros(p, kv_rows * d);
    a->dv = zeros(p, kv_rows * d);
    const struct compute_config config = {compute->dtype, a->head_dim, p->dev->threads,
                                          compute->kernel};
    a->workspace = take(p, compute->row->workspace_bytes(&config, NULL), 1);
    return p;
}

void problem_free(struct problem *p) {
    const struct attn_args *a = &p->args;
    const void *const all[] = {a->q_pos, a->k_pos, a->q,  a->k,  a->v,  a->dout,     a->o,
                               a->lse,   a->delta, a->dq, a->dk, a->dv, a->workspace};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        p->dev->row->free(p->dev, &p->ledger, (void *)all[i]);
    if (p->ledger.total_now != 0)
        abort();
    mask_close(&p->mask);
    free(p);
}

void problem_run(struct problem *p) {
    const struct attn_args *a = &p->args;
    const struct rows_shape shape = {a->batch, a->q_tokens, a->heads, a->head_dim};
    p->compute->row->attn_forward(p->compute, a);
    p->compute->row->delta(p->compute, shape, a->o, a->dout, p->delta);
    p->compute->row->attn_backward(p->compute, a);
}

/* Offset of row (b, t, h) of a [batch, tokens, heads, head_dim] tensor. */
static size_t row_at(int b, int t, int h, int tokens, int heads, int d) {
    return (((size_t)b * (size_t)tokens + (size_t)t) * (size_t)heads + (size_t)h) * (size_t)d;
}

/* The row of a tensor of gradients. */
static const float *row_of(const float *x, int b, int t, int h, int tokens, int heads, int d) {
    return x + row_at(b, t, h, tokens, heads, d);
}

/* The row of any other tensor, as fp32. */
static const float *read_row(const struct problem *p, const void *x, int b, int t, int h,
                             int tokens, int heads, float row[HEAD_DIM_MAX]) {
    const int d = p->args.head_dim;
    const size_t at = row_at(b, t, h, tokens, heads, d);
    for (int i = 0; i < d; i++)
        row[i] = p->compute->dtype == DTYPE_FP32
                     ? ((const float *)x)[at + (size_t)i]
                     : bf16_to_float(((const uint16_t *)x)[at + (size_t)i]);
    return row;
}

static void widen(double *out, const float *x, int n) {
    for (int i = 0; i < n; i++)
        out[i] = x[i];
}

/* One (batch, kv head) in double precision. */
struct group {
    struct ref_keys keys;
    struct ref_queries queries;
    int *token, *head; /* of each query row */
};

static void *need(size_t count, size_t size) {
    void *x = calloc(count ? count : 1, size);
    if (!x)
        abort();
    return x;
}

static struct group group_new(const struct problem *p, int b, int kv) {
    const struct attn_args *a = &p->args;
    const int d = a->head_dim;
    const size_t rows = (size_t)a->q_tokens * (size_t)a->heads, width = (size_t)d;
    double *k = need((size_t)a->k_tokens * width, sizeof *k);
    double *v = need((size_t)a->k_tokens * width, sizeof *v);
    double *q = need(rows * width, sizeof *q), *dout = need(rows * width, sizeof *dout);
    double *lse = need(rows, sizeof *lse), *delta = need(rows, sizeof *delta);
    int32_t *pos = need(rows, sizeof *pos);
    struct group g = {.token = need(rows, sizeof(int)), .head = need(rows, sizeof(int))};
    float row[HEAD_DIM_MAX];
    for (int t = 0; t < a->k_tokens; t++) {
        widen(k + (size_t)t * width, read_row(p, a->k, b, t, kv, a->k_tokens, a->kv_heads, row), d);
        widen(v + (size_t)t * width, read_row(p, a->v, b, t, kv, a->k_tokens, a->kv_heads, row), d);
    }
    int n = 0;
    for (int h = 0; h < a->heads; h++) {
        if ((a->q_head0 + h) / a->group != a->kv_head0 + kv)
            continue;
        for (int t = 0; t < a->q_tokens; t++, n++) {
            const size_t at =
                ((size_t)b * (size_t)a->heads + (size_t)h) * (size_t)a->q_tokens + (size_t)t;
            widen(q + (size_t)n * width, read_row(p, a->q, b, t, h, a->q_tokens, a->heads, row), d);
            widen(dout + (size_t)n * width,
                  read_row(p, a->dout, b, t, h, a->q_tokens, a->heads, row), d);
            pos[n] = a->q_pos[t];
            lse[n] = a->lse[at];
            delta[n] = a->delta[at];
            g.token[n] = t;
            g.head[n] = h;
        }
    }
    g.keys = (struct ref_keys){a->k_tokens, d, a->scale, a->mask, a->k_pos, k, v};
    g.queries = (struct ref_queries){n, d, a->scale, a->mask, pos, q, dout, lse, delta};
    return g;
}

static void group_free(struct group *g) {
    free((void *)g->keys.k);
    free((void *)g->keys.v);
    free((void *)g->queries.q);
    free((void *)g->queries.dout);
    free((void *)g->queries.lse);
    free((void *)g->queries.delta);
    free((void *)g->queries.pos);
    free(g->token);
    free(g->head);
}

static bool sampled(int i, int n, int stride) {
    return i % stride == 0 || i == n - 1;
}

static double lse_error(double x, double ref) {
    if (ref == -INFINITY)
        return x == ref ? 0 : INFINITY;
    return isfinite(x) ? fabs(x - ref) : INFINITY;
}

static void query_errors(const struct problem *p, int b, const struct group *g, int stride,
                         struct errors *e) {
    const struct attn_args *a = &p->args;
    const int d = a->head_dim;
    const struct ref_queries *r = &g->queries;
    double *ref = need((size_t)d, sizeof *ref);
    for (int i = 0; i < r->n; i++) {
        const int t = g->token[i], h = g->head[i];
        if (!sampled(t, a->q_tokens, stride))
            continue;
        const double *q = r->q + (size_t)i * (size_t)d, *dout = r->dout + (size_t)i * (size_t)d;
        double lse;
        ref_forward(&g->keys, q, r->pos[i], ref, &lse);
        float row[HEAD_DIM_MAX];
        e->o = fmax(e->o,
                    ref_row_error(read_row(p, a->o, b, t, h, a->q_tokens, a->heads, row), ref, d));
        e->lse = fmax(e->lse, lse_error(r->lse[i], lse));
        const double terms = ref_dq(&g->keys, q, r->pos[i], dout, r->lse[i], r->delta[i], ref);
        e->dq = fmax(
            e->dq, ref_grad_error(row_of(a->dq, b, t, h, a->q_tokens, a->heads, d), ref, d, terms));
    }
    free(ref);
}

static void key_errors(const struct problem *p, int b, int kv, const struct group *g, int stride,
                       struct errors *e) {
    const struct attn_args *a = &p->args;
    const int d = a->head_dim;
    double *dk = need((size_t)d, sizeof *dk), *dv = need((size_t)d, sizeof *dv);
    for (int t = 0; t < a->k_tokens; t++) {
        if (!sampled(t, a->k_tokens, stride))
            continue;
        const size_t at = (size_t)t * (size_t)d;
        const double terms =
            ref_dkv(&g->queries, g->keys.k + at, g->keys.v + at, a->k_pos[t], dk, dv);
        e->dk = fmax(e->dk, ref_grad_error(row_of(a->dk, b, t, kv, a->k_tokens, a->kv_heads, d), dk,
                                           d, terms));
        e->dv =
            fmax(e->dv, ref_row_error(row_of(a->dv, b, t, kv, a->k_tokens, a->kv_heads, d), dv, d));
    }
    free(dk);
    free(dv);
}

struct errors problem_errors(const struct problem *p, int stride) {
    struct errors e = {0};
    for (int b = 0; b < p->args.batch; b++)
        for (int kv = 0; kv < p->args.kv_heads; kv++) {
            struct group g = group_new(p, b, kv);
            query_errors(p, b, &g, stride, &e);
            key_errors(p, b, kv, &g, stride, &e);
            group_free(&g);
        }
    return e;
}
