/* O, LSE, delta, dQ, dK, dV of sampled rows. One pass over the sequence in chunks: each adds its
 * keys to the sampled queries' O and dQ, and its queries to the sampled keys' dK and dV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn/check/part.h"
#include "attn/check/reference.h"

struct sums {
    struct source all;     /* a chunk of the sequence */
    struct source sampled; /* the sampled tokens */
    int32_t pos[SOURCE_TOKENS];
    int32_t *query_pos; /* [chunk, group] */

    double *lse, *delta; /* the run's: [seq, group] by global position */
    double *o, *dq;      /* [sampled, group, head_dim] */
    double *ref_lse;     /* [sampled, group] */
    double *dq_terms;    /* [sampled, group] */
    double *dk, *dv;     /* [sampled, head_dim] */
    double *dkv_terms;   /* [sampled] */
    double *elements;
    double *part; /* [sampled, group, 2 head_dim]: one chunk's share, per row */
};

static enum status sums_open(struct sums *s, const struct check *c) {
    const size_t d = (size_t)c->p->head_dim, g = (size_t)c->group, seq = (size_t)c->p->seq;
    const size_t n = CHECK_TOKENS, q = n * g;
    *s = (struct sums){0};
    enum status st = source_open(&s->all, c);
    if (st == ST_OK)
        st = source_open(&s->sampled, c);
    if (st != ST_OK)
        return st;
    const size_t sizes[] = {seq * g, seq * g, q * d, q * d, q, q, n * d, n * d, n, 2 * q * d};
    double **const arrays[] = {&s->lse,      &s->delta, &s->o,  &s->dq,        &s->ref_lse,
                               &s->dq_terms, &s->dk,    &s->dv, &s->dkv_terms, &s->part};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        total += sizes[i];
    s->query_pos = calloc(SOURCE_TOKENS * g, sizeof *s->query_pos);
    s->elements = calloc(total, sizeof *s->elements);
    if (!s->query_pos || !s->elements)
        return fail(ST_ENV, "out of memory for the check's reference; leave --check out");
    double *at = s->elements;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *arrays[i] = at;
        at += sizes[i];
    }
    return ST_OK;
}

static void sums_close(struct sums *s) {
    free(s->elements);
    free(s->query_pos);
    source_close(&s->sampled);
    source_close(&s->all);
}

/* What this rank holds of rows [batch, heads, tokens] for a pair, to its place in [seq, group]. */
static void scatter_rows(const struct check *c, const struct lse_view *view, const float *rows,
                         int batch, int kv_head, double *out) {
    for (int g = 0; g < c->group; g++) {
        const int head = kv_head * c->group + g - view->head0;
        if (head < 0 || head >= view->heads)
            continue;
        const size_t row = ((size_t)batch * (size_t)view->heads + (size_t)head);
        for (int at = 0; at < view->tokens; at += SOURCE_TOKENS) {
            float piece[SOURCE_TOKENS];
            const int n = view->tokens - at < SOURCE_TOKENS ? view->tokens - at : SOURCE_TOKENS;
            check_read(c, rows, DTYPE_FP32, row * (size_t)view->tokens + (size_t)at, n, piece);
            for (int i = 0; i < n; i++)
                if (view->pos[at + i] != POS_NOWHERE)
                    out[(size_t)view->pos[at + i] * (size_t)c->group + (size_t)g] = piece[i];
        }
    }
}

/* Every rank's pair in turn: all give what they hold (a method computes each row on one rank), and
 * the rank keeps the sum. Collective over the SP group; scratch [2, seq, group]. */
static void gather_lse(const struct check *c, double *scratch, struct sums *s) {
    const struct attention *a = &c->l->attention;
    const struct lse_view view = a->ops->lse(a);
    const size_t n = (size_t)c->p->seq * (size_t)c->group;
    for (int r = 0; r < a->sp->size; r++) {
        int batch, kv_head;
        check_pair(c, r, &batch, &kv_head);
        memset(scratch, 0, 2 * n * sizeof *scratch);
        scatter_rows(c, &view, view.lse, batch, kv_head, scratch);
        if (c->p->backward)
            scatter_rows(c, &view, view.delta, batch, kv_head, scratch + n);
        group_sum(a->sp, scratch, (int)n);
        group_sum(a->sp, scratch + n, (int)n);
        if (r != a->sp->rank)
            continue;
        memcpy(s->lse, scratch, n * sizeof *scratch);
        memcpy(s->delta, scratch + n, n * sizeof *scratch);
    }
}

/* o, lse: attention over earlier keys; part: over others. */
static void join(double *o, double *lse, const double *part, double part_lse, int d) {
    if (part_lse == -INFINITY)
        return;
    const double sum = fmax(*lse, part_lse) + log1p(exp(-fabs(*lse - part_lse)));
    const double keep = exp(*lse - sum), take = exp(part_lse - sum);
    for (int i = 0; i < d; i++)
        o[i] = keep * o[i] + take * part[i];
    *lse = sum;
}

static void add(double *sum, const double *part, int n) {
    for (int i = 0; i < n; i++)
        sum[i] += part[i];
}

/* The chunk's keys, for the query head g of the i-th sampled token. */
static void add_keys(const struct check *c, struct sums *s, const struct ref_keys *keys, int i,
                     int g) {
    const int d = c->p->head_dim;
    const size_t row = (size_t)i * (size_t)c->group + (size_t)g, at = row * (size_t)d;
    const int32_t pos = check_position(c, i);
    double *part = s->part + 2 * at, lse;
    ref_forward(keys, s->sampled.q + at, pos, part, &lse);
    join(s->o + at, &s->ref_lse[row], part, lse, d);
    if (!c->p->backward)
        return;
    const size_t run = (size_t)pos * (size_t)c->group + (size_t)g;
    s->dq_terms[row] += ref_dq(keys, s->sampled.q + at, pos, s->sampled.dout + at, s->lse[run],
                               s->delta[run], part);
    add(s->dq + at, part, d);
}

/* The chunk's queries, for the i-th sampled token as a key. */
static void add_queries(const struct check *c, struct sums *s, const struct ref_queries *queries,
                        int i) {
    const int d = c->p->head_dim;
    const size_t at = (size_t)i * (size_t)d;
    double *part = s->part + 2 * (size_t)c->group * at;
    s->dkv_terms[i] += ref_dkv(queries, s->sampled.k + at, s->sampled.v + at, check_position(c, i),
                               part, part + d);
    add(s->dk + at, part, d);
    add(s->dv + at, part + d, d);
}

static void add_chunk(const struct check *c, struct sums *s, int32_t first, int n) {
    const struct problem *p = c->p;
    const double scale = 1 / sqrt(p->head_dim);
    for (int t = 0; t < n; t++) {
        s->pos[t] = first + t;
        for (int g = 0; g < c->group; g++)
            s->query_pos[t * c->group + g] = first + t;
    }
    source_fill(&s->all, c, s->pos, n);
    const size_t row0 = (size_t)first * (size_t)c->group;
    const struct ref_keys keys = {n, p->head_dim, scale, &p->mask, s->pos, s->all.k, s->all.v};
    const struct ref_queries queries = {n * c->group, p->head_dim,   scale,
                                        &p->mask,     s->query_pos,  s->all.q,
                                        s->all.dout,  s->lse + row0, s->delta + row0};
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(dynamic)
    for (int i = 0; i < c->n_tokens * c->group; i++)
        add_keys(c, s, &keys, i / c->group, i % c->group);
    if (!p->backward)
        return;
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(dynamic)
    for (int i = 0; i < c->n_tokens; i++)
        add_queries(c, s, &queries, i);
}

/* The run's gradients are those before RoPE once the layer has turned them back. */
static void compare_gradient(struct check *c, enum check_tensor tensor, const float *x, double *ref,
                             double terms, int32_t pos, bool rope) {
    if (rope && !c->p->core_only)
        source_rope(c->p, pos, true, ref);
    check_elements(c, tensor, x, ref, c->p->head_dim, terms);
}

static void compare_query(struct check *c, const struct sums *s, int i, int g, float *x) {
    const struct attention *a = &c->l->attention;
    const struct problem *p = c->p;
    const int d = p->head_dim;
    const size_t row = (size_t)i * (size_t)c->group + (size_t)g, at = row * (size_t)d;
    const size_t from =
        (check_row(c, i) * (size_t)p->heads + (size_t)(c->kv_head * c->group + g)) * (size_t)d;
    const int32_t pos = check_position(c, i);
    const size_t run = (size_t)pos * (size_t)c->group + (size_t)g;
    check_read(c, a->o.data, p->dtype, from, d, x);
    check_elements(c, CHECK_O, x, s->o + at, d, 0);
    check_number(c, CHECK_LSE, s->lse[run], s->ref_lse[row]);
    if (!p->backward)
        return;
    /* From the run's O, which has been checked and may be rounded. */
    double *o = s->part + 2 * at, delta;
    for (int k = 0; k < d; k++)
        o[k] = x[k];
    const double terms = ref_delta(s->sampled.dout + at, o, d, &delta);
    const float run_delta = (float)s->delta[run];
    check_elements(c, CHECK_DELTA, &run_delta, &delta, 1, terms);
    check_read(c, a->dq.data, DTYPE_FP32, from, d, x);
    compare_gradient(c, CHECK_DQ, x, s->dq + at, s->dq_terms[row], pos, true);
}

static void compare_key(struct check *c, const struct sums *s, int i, float *x) {
    const struct attention *a = &c->l->attention;
    const int d = c->p->head_dim;
    const size_t at = (size_t)i * (size_t)d, v = attention_kv_elements(c->p);
    const size_t from = (check_row(c, i) * (size_t)c->p->kv_heads + (size_t)c->kv_head) * (size_t)d;
    const int32_t pos = check_position(c, i);
    check_read(c, a->dkv.data, DTYPE_FP32, from, d, x);
    compare_gradient(c, CHECK_DK, x, s->dk + at, s->dkv_terms[i], pos, true);
    check_read(c, a->dkv.data, DTYPE_FP32, v + from, d, x);
    compare_gradient(c, CHECK_DV, x, s->dv + at, 0, pos, false);
}

static void compare(struct check *c, const struct sums *s, float *x) {
    /* Rows that are not sampled enter the references of dQ, dK, dV: at least they are numbers. */
    for (size_t i = 0; i < (size_t)c->p->seq * (size_t)c->group; i++)
        if (!isfinite(s->lse[i]) || !isfinite(s->delta[i]))
            check_note(c, isfinite(s->lse[i]) ? CHECK_DELTA : CHECK_LSE, INFINITY);
    for (int i = 0; i < c->n_tokens; i++) {
        for (int g = 0; g < c->group; g++)
            compare_query(c, s, i, g, x);
        if (c->p->backward)
            compare_key(c, s, i, x);
    }
}

/* Collective over the SP group; scratch [2, seq, group], x [head_dim]. */
static void check_samples(struct check *c, struct sums *s, double *scratch, float *x) {
    const int32_t seq = c->p->seq;
    int32_t pos[CHECK_TOKENS];
    gather_lse(c, scratch, s);
    for (int i = 0; i < c->n_tokens; i++)
        pos[i] = check_position(c, i);
    source_fill(&s->sampled, c, pos, c->n_tokens);
    for (int i = 0; i < c->n_tokens * c->group; i++)
        s->ref_lse[i] = -INFINITY;
    for (int32_t first = 0; first < seq; first += SOURCE_TOKENS)
        add_chunk(c, s, first, seq - first < SOURCE_TOKENS ? seq - first : SOURCE_TOKENS);
    compare(c, s, x);
}

enum status check_attention(struct check *c) {
    struct sums s;
    double *scratch = calloc(2 * (size_t)c->p->seq * (size_t)c->group, sizeof *scratch);
    float *x = calloc((size_t)c->p->head_dim, sizeof *x);
    enum status st = sums_open(&s, c);
    if (st == ST_OK && (!scratch || !x))
        st = fail(ST_ENV, "out of memory for the check's reference; leave --check out");
    st = group_agree(c->l->grid->world, st);
    if (st == ST_OK && scratch)
        check_samples(c, &s, scratch, x);
    if (st == ST_OK && x && c->turn == 0)
        check_padding(c, x);
    sums_close(&s);
    free(x);
    free(scratch);
    return st;
}
