#include "tests/attn/method/layer_reference.h"

#include <math.h>
#include <stdlib.h>

#include "attn/check/reference.h"
#include "tests/attn/method/layer_parts.h"

static double *projected(const struct problem *p, const double *x, int tokens, size_t row0,
                         int heads, bool rope) {
    const int width = heads * p->head_dim;
    double *w = part_weights(p, layer_qkv_weights, row0, width, p->hidden);
    double *out = part_zeros((size_t)tokens * (size_t)width);
    part_times_transposed(x, w, tokens, width, p->hidden, out);
    free(w);
    part_store(p, out, (size_t)tokens * (size_t)width);
    if (rope) {
        part_rotate(p, out, tokens, heads, 1);
        part_store(p, out, (size_t)tokens * (size_t)width);
    }
    return out;
}

static void make_inputs(const struct problem *p, struct layer_reference *r) {
    const int n = r->sequences, tokens = n * p->seq, d = p->head_dim;
    const int q = p->heads * d, kv = p->kv_heads * d;
    if (p->core_only) {
        r->q = part_generated(p, n, TENSOR_Q, p->heads, d, problem_q_scale(p));
        r->k = part_generated(p, n, TENSOR_K, p->kv_heads, d, 1);
        r->v = part_generated(p, n, TENSOR_V, p->kv_heads, d, 1);
        r->dout = part_generated(p, n, TENSOR_DO, p->heads, d, 1);
        return;
    }
    double *x = part_generated(p, n, TENSOR_X, 1, p->hidden, 1);
    double *dy = part_generated(p, n, TENSOR_DY, 1, p->hidden, 1);
    double *wo = part_weights(p, layer_out_weights, 0, p->hidden, q);
    r->q = projected(p, x, tokens, 0, p->heads, true);
    r->k = projected(p, x, tokens, (size_t)q, p->kv_heads, true);
    r->v = projected(p, x, tokens, (size_t)(q + kv), p->kv_heads, false);
    r->dout = part_zeros((size_t)tokens * (size_t)q);
    part_times(dy, wo, tokens, p->hidden, q, r->dout);
    part_store(p, r->dout, (size_t)tokens * (size_t)q);
    free(wo);
    free(dy);
    free(x);
}

/* One sequence and kv head, its rows gathered from tensors of all heads. */
struct head {
    int group; /* query heads */
    int32_t *pos, *query_pos;
    double *k, *v, *q, *dout, *lse, *delta; /* q, dout: [seq, group, head_dim] */
    struct ref_keys keys;
    struct ref_queries queries;
};

static struct head head_new(const struct problem *p) {
    const size_t seq = (size_t)p->seq, d = (size_t)p->head_dim;
    const int group = p->heads / p->kv_heads;
    const size_t rows = seq * (size_t)group;
    const double scale = 1 / sqrt(p->head_dim);
    struct head h = {
        .group = group,
        .pos = calloc(seq, sizeof *h.pos),
        .query_pos = calloc(rows, sizeof *h.query_pos),
        .k = part_zeros(seq * d),
        .v = part_zeros(seq * d),
        .q = part_zeros(rows * d),
        .dout = part_zeros(rows * d),
        .lse = part_zeros(rows),
        .delta = part_zeros(rows),
    };
    if (!h.pos || !h.query_pos)
        abort();
    for (int i = 0; i < p->seq * group; i++) {
        h.pos[i / group] = i / group;
        h.query_pos[i] = i / group;
    }
    h.keys = (struct ref_keys){p->seq, p->head_dim, scale, &p->mask, h.pos, h.k, h.v};
    h.queries = (struct ref_queries){(int)rows, p->head_dim, scale, &p->mask, h.query_pos,
                                     h.q,       h.dout,      h.lse, h.delta};
    return h;
}

static void head_free(struct head *h) {
    double *const arrays[] = {h->k, h->v, h->q, h->dout, h->lse, h->delta};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(h->query_pos);
    free(h->pos);
}

/* Row (sequence, token, head) of a tensor. */
static size_t row_of(const struct problem *p, int sequence, int token, int head, int heads) {
    return ((size_t)sequence * (size_t)p->seq + (size_t)token) * (size_t)heads + (size_t)head;
}

static void copy_rows(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

/* LSE and delta: those of `with`. */
static void head_load(struct head *h, const struct problem *p, const struct layer_reference *r,
                      const struct layer_tensors *with, int sequence, int kv) {
    const size_t d = (size_t)p->head_dim, rows = (size_t)h->group;
    for (int t = 0; t < p->seq; t++) {
        const size_t from = row_of(p, sequence, t, kv, p->kv_heads), to = (size_t)t * rows;
        const size_t q = row_of(p, sequence, t, kv * h->group, p->heads);
        copy_rows(h->k + (size_t)t * d, r->k + from * d, d);
        copy_rows(h->v + (size_t)t * d, r->v + from * d, d);
        copy_rows(h->q + to * d, r->q + q * d, rows * d);
        copy_rows(h->dout + to * d, r->dout + q * d, rows * d);
        copy_rows(h->lse + to, with->lse + q, rows);
        copy_rows(h->delta + to, with->delta + q, rows);
    }
}

/* What is done with one token of one head, given the head's rows. */
typedef void token_fn(const struct head *h, const struct problem *p, struct layer_reference *r,
                      int sequence, int kv, int t);

static void forward_token(const struct head *h, const struct problem *p, struct layer_reference *r,
                          int sequence, int kv, int t) {
    for (int g = 0; g < h->group; g++) {
        const size_t row = row_of(p, sequence, t, kv * h->group + g, p->heads);
        const size_t at = row * (size_t)p->head_dim;
        ref_forward(&h->keys, r->q + at, t, r->exact.o + at, &r->exact.lse[row]);
    }
}

static void backward_token(const struct head *h, const struct problem *p, struct layer_reference *r,
                           int sequence, int kv, int t) {
    const size_t d = (size_t)p->head_dim, key = row_of(p, sequence, t, kv, p->kv_heads);
    r->dk_terms[key] = ref_dkv(&h->queries, h->k + (size_t)t * d, h->v + (size_t)t * d, t,
                               r->exact.dk + key * d, r->exact.dv + key * d);
    for (int g = 0; g < h->group; g++) {
        const size_t query = (size_t)t * (size_t)h->group + (size_t)g;
        const size_t row = row_of(p, sequence, t, kv * h->group + g, p->heads), at = row * d;
        r->dq_terms[row] = ref_dq(&h->keys, r->q + at, t, r->dout + at, h->lse[query],
                                  h->delta[query], r->exact.dq + at);
    }
}

/* Tokens are dealt out to the ranks. */
static void each_token(const struct problem *p, struct layer_reference *r,
                       const struct layer_tensors *with, const struct group *world,
                       token_fn *token) {
    struct head h = head_new(p);
    for (int s = 0; s < r->sequences; s++)
        for (int kv = 0; kv < p->kv_heads; kv++) {
            head_load(&h, p, r, with, s, kv);
            for (int t = world->rank; t < p->seq; t += world->size)
                token(&h, p, r, s, kv, t);
        }
    head_free(&h);
}

/* delta = dO.O. dO is a result itself, each element right to a part of the row's greatest: so that
 * of delta's terms. */
static void make_delta(const struct problem *p, struct layer_reference *r, const double *o) {
    const size_t d = (size_t)p->head_dim;
    for (size_t row = 0; row < r->rows; row++)
        r->delta_terms[row] =
            ref_delta(r->dout + row * d, o + row * d, p->head_dim, &r->exact.delta[row]);
}

static void sum_up(const struct group *world, double *x, size_t n) {
    group_sum(world, x, (int)n);
}

static void clear(double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
}

static void differentiate(const struct problem *p, struct layer_reference *r,
                          const struct layer_tensors *with, const struct group *world) {
    const size_t d = (size_t)p->head_dim, q = r->rows * d, k = r->kv_rows * d;
    struct layer_tensors *x = &r->exact;
    double *const sums[] = {x->dq, x->dk, x->dv, r->dq_terms, r->dk_terms};
    const size_t sizes[] = {q, k, k, r->rows, r->kv_rows};
    for (int i = 0; i < 5; i++)
        clear(sums[i], sizes[i]);
    each_token(p, r, with, world, backward_token);
    for (int i = 0; i < 5; i++)
        sum_up(world, sums[i], sizes[i]);
    if (p->core_only)
        return;
    part_rotate(p, x->dq, r->sequences * p->seq, p->heads, -1);
    part_rotate(p, x->dk, r->sequences * p->seq, p->kv_heads, -1);
}

/* What the projections make of O, dQ, dK and dV. */
static void project(const struct problem *p, struct layer_reference *r,
                    const struct layer_tensors *of) {
    const int tokens = r->sequences * p->seq, q = p->heads * p->head_dim;
    const int kv = p->kv_heads * p->head_dim, hidden = p->hidden;
    clear(r->y, (size_t)tokens * (size_t)hidden);
    clear(r->dx, (size_t)tokens * (size_t)hidden);
    clear(r->dw_qkv, layer_qkv_elements(p));
    clear(r->dw_out, layer_out_elements(p));
    double *wo = part_weights(p, layer_out_weights, 0, hidden, q);
    part_times_transposed(of->o, wo, tokens, hidden, q, r->y);
    free(wo);
    if (!p->backward)
        return;
    double *x = part_generated(p, r->sequences, TENSOR_X, 1, hidden, 1);
    double *dy = part_generated(p, r->sequences, TENSOR_DY, 1, hidden, 1);
    part_transposed_times(dy, of->o, tokens, hidden, q, r->dw_out);
    const double *const grads[] = {of->dq, of->dk, of->dv};
    const int widths[] = {q, kv, kv};
    size_t row = 0;
    for (int i = 0; i < 3; i++) {
        double *w = part_weights(p, layer_qkv_weights, row, widths[i], hidden);
        part_times(grads[i], w, tokens, widths[i], hidden, r->dx);
        part_transposed_times(grads[i], x, tokens, widths[i], hidden,
                              r->dw_qkv + row * (size_t)hidden);
        row += (size_t)widths[i];
        free(w);
    }
    free(dy);
    free(x);
}

struct layer_tensors layer_tensors_new(const struct layer_reference *r, int head_dim) {
    const size_t d = (size_t)head_dim;
    return (struct layer_tensors){
        .o = part_zeros(r->rows * d),
        .lse = part_zeros(r->rows),
        .delta = part_zeros(r->rows),
        .dq = part_zeros(r->rows * d),
        .dk = part_zeros(r->kv_rows * d),
        .dv = part_zeros(r->kv_rows * d),
    };
}

void layer_tensors_free(struct layer_tensors *t) {
    double *const arrays[] = {t->o, t->lse, t->delta, t->dq, t->dk, t->dv};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    *t = (struct layer_tensors){0};
}

struct layer_reference layer_reference_new(const struct problem *p, const struct group *world) {
    const int sequences = p->batch * p->dp_shard_size;
    const size_t tokens = (size_t)sequences * (size_t)p->seq, d = (size_t)p->head_dim;
    const size_t hidden = p->core_only ? 0 : (size_t)p->hidden;
    struct layer_reference r = {
        .sequences = sequences,
        .rows = tokens * (size_t)p->heads,
        .kv_rows = tokens * (size_t)p->kv_heads,
    };
    make_inputs(p, &r);
    r.exact = layer_tensors_new(&r, p->head_dim);
    r.dq_terms = part_zeros(r.rows);
    r.delta_terms = part_zeros(r.rows);
    r.dk_terms = part_zeros(r.kv_rows);
    r.y = part_zeros(tokens * hidden);
    r.dx = part_zeros(tokens * hidden);
    r.dw_qkv = part_zeros(hidden > 0 ? layer_qkv_elements(p) : 0);
    r.dw_out = part_zeros(hidden > 0 ? layer_out_elements(p) : 0);

    each_token(p, &r, &r.exact, world, forward_token);
    sum_up(world, r.exact.o, r.rows * d);
    sum_up(world, r.exact.lse, r.rows);
    make_delta(p, &r, r.exact.o);
    if (p->backward)
        differentiate(p, &r, &r.exact, world);
    if (!p->core_only)
        project(p, &r, &r.exact);
    return r;
}

void layer_reference_follow(struct layer_reference *r, const struct problem *p,
                            const struct group *world, struct layer_tensors *run) {
    const size_t d = (size_t)p->head_dim;
    if (p->dtype == DTYPE_BF16) {
        make_delta(p, r, run->o);
        if (p->backward)
            differentiate(p, r, run, world);
    }
    part_store(p, run->dq, r->rows * d);
    part_store(p, run->dk, r->kv_rows * d);
    part_store(p, run->dv, r->kv_rows * d);
    if (!p->core_only)
        project(p, r, run);
}

void layer_reference_free(struct layer_reference *r) {
    double *const arrays[] = {r->q,           r->k, r->v,  r->dout,   r->dq_terms, r->dk_terms,
                              r->delta_terms, r->y, r->dx, r->dw_qkv, r->dw_out};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    layer_tensors_free(&r->exact);
    *r = (struct layer_reference){0};
}
