/* Inputs of attention in double precision, made from the generator. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "attn/check/part.h"
#include "base/random.h"
#include "device/bf16.h"

/* Products over `hidden` are summed piece by piece, so that memory does not grow with the model. */
enum { PIECE = 512 };

struct source_scratch {
    double *x, *dy;   /* [tokens, PIECE] */
    double *w_qkv;    /* [(group + 2) head_dim, PIECE]: the pair's rows of wq, wk, wv */
    double *w_out;    /* [PIECE, group * head_dim]: its columns of wo */
    double *elements; /* what all of these are carved from */
};

enum status source_open(struct source *s, const struct check *c) {
    const struct problem *p = c->p;
    const size_t d = (size_t)p->head_dim, g = (size_t)c->group, n = SOURCE_TOKENS;
    const size_t piece = p->core_only ? 0 : PIECE;
    *s = (struct source){.scratch = calloc(1, sizeof *s->scratch)};
    double *at = calloc(2 * n * d * (1 + g) + piece * (2 * n + (2 * g + 2) * d), sizeof *at);
    if (!s->scratch || !at) {
        free(at);
        return fail(ST_ENV, "out of memory for the check's reference; leave --check out");
    }
    struct source_scratch *w = s->scratch;
    w->elements = at;
    s->k = at;
    s->v = s->k + n * d;
    s->q = s->v + n * d;
    s->dout = s->q + n * g * d;
    w->x = s->dout + n * g * d;
    w->dy = w->x + n * piece;
    w->w_qkv = w->dy + n * piece;
    w->w_out = w->w_qkv + (g + 2) * d * piece;
    return ST_OK;
}

void source_close(struct source *s) {
    if (s->scratch)
        free(s->scratch->elements);
    free(s->scratch);
    *s = (struct source){0};
}

static void widen(double *out, const float *x, int n) {
    for (int i = 0; i < n; i++)
        out[i] = x[i];
}

/* check_round() of doubles. */
static void round_doubles(const struct problem *p, double *x, size_t n) {
    for (size_t i = 0; p->dtype == DTYPE_BF16 && i < n; i++)
        x[i] = bf16_round((float)x[i]);
}

static uint32_t sequence(const struct check *c) {
    return layer_batch0(c->p, c->l->grid->dp_rank) + (uint32_t)c->batch;
}

/* heads x head_dim of each token, as the generator has them. */
static void generate_heads(const struct check *c, enum tensor_id tensor, int head0, int heads,
                           float scale, const int32_t *pos, int n, double *out) {
    const struct problem *p = c->p;
    const int d = p->head_dim;
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(static)
    for (int t = 0; t < n; t++)
        for (int h = 0; h < heads; h++)
            for (int at = 0; at < d; at += PIECE) {
                float piece[PIECE];
                const int m = d - at < PIECE ? d - at : PIECE;
                random_row(piece, (size_t)m, p->seed, tensor, sequence(c), (uint32_t)pos[t],
                           (uint32_t)(head0 + h), (uint32_t)at, scale);
                check_round(p, piece, (size_t)m);
                widen(out + ((size_t)t * (size_t)heads + (size_t)h) * (size_t)d + at, piece, m);
            }
}

static void fill_core(struct source *s, const struct check *c, const int32_t *pos, int n) {
    const struct problem *p = c->p;
    const int head0 = c->kv_head * c->group;
    generate_heads(c, TENSOR_K, c->kv_head, 1, 1.0f, pos, n, s->k);
    generate_heads(c, TENSOR_V, c->kv_head, 1, 1.0f, pos, n, s->v);
    generate_heads(c, TENSOR_Q, head0, c->group, problem_q_scale(p), pos, n, s->q);
    if (p->backward)
        generate_heads(c, TENSOR_DO, head0, c->group, 1.0f, pos, n, s->dout);
}

/* Columns [col, col + m) of x and dY of the tokens. */
static void generate_tokens(const struct check *c, enum tensor_id tensor, const int32_t *pos, int n,
                            int col, int m, double *out) {
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(static)
    for (int t = 0; t < n; t++) {
        float piece[PIECE];
        random_row(piece, (size_t)m, c->p->seed, tensor, sequence(c), (uint32_t)pos[t], 0,
                   (uint32_t)col, 1.0f);
        check_round(c->p, piece, (size_t)m);
        widen(out + (size_t)t * PIECE, piece, m);
    }
}

/* Columns [col, col + m) of the pair's rows of wq, wk and wv. */
static void generate_qkv(const struct check *c, int col, int m, double *out) {
    const struct problem *p = c->p;
    const int d = p->head_dim, g = c->group;
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(static)
    for (int i = 0; i < (g + 2) * d; i++) {
        const int head = i < g * d         ? c->kv_head * g
                         : i < (g + 1) * d ? p->heads + c->kv_head - g
                                           : p->heads + p->kv_heads + c->kv_head - g - 1;
        float piece[PIECE];
        const int row = head * d + i;
        layer_qkv_weights(p, (size_t)row, col, m, piece);
        check_round(p, piece, (size_t)m);
        widen(out + (size_t)i * PIECE, piece, m);
    }
}

/* Rows [row, row + m) of the pair's columns of wo. */
static void generate_out(const struct check *c, int row, int m, double *out) {
    const int width = c->group * c->p->head_dim, col = c->kv_head * width;
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(static)
    for (int i = 0; i < m; i++)
        for (int at = 0; at < width; at += PIECE) {
            float piece[PIECE];
            const int k = width - at < PIECE ? width - at : PIECE;
            layer_out_weights(c->p, (size_t)row + (size_t)i, col + at, k, piece);
            check_round(c->p, piece, (size_t)k);
            widen(out + (size_t)i * (size_t)width + at, piece, k);
        }
}

/* out[n, cols] += in[n, m] w, with w [cols, m] (transposed) or [m, cols]; in and a transposed w
 * have rows of PIECE. Rows are spread over the device's threads. */
static void accumulate(const struct check *c, int n, int cols, int m, const double *in,
                       const double *w, bool transposed, double *out) {
    enum { ROWS = 16 };
#pragma omp parallel for num_threads(c->l->attention.dev->threads) schedule(static)
    for (int t = 0; t < n; t += ROWS)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans,
                    n - t < ROWS ? n - t : ROWS, cols, m, 1, in + (size_t)t * PIECE, PIECE, w,
                    transposed ? PIECE : cols, 1, out + (size_t)t * (size_t)cols, cols);
}

static void clear(double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
}

static void fill_projected(struct source *s, const struct check *c, const int32_t *pos, int n) {
    const struct problem *p = c->p;
    const struct source_scratch *w = s->scratch;
    const int d = p->head_dim, q = c->group * d;
    const size_t kv_size = (size_t)n * (size_t)d, q_size = (size_t)n * (size_t)q;
    clear(s->k, kv_size);
    clear(s->v, kv_size);
    clear(s->q, q_size);
    clear(s->dout, q_size);
    for (int col = 0; col < p->hidden; col += PIECE) {
        const int m = p->hidden - col < PIECE ? p->hidden - col : PIECE;
        generate_tokens(c, TENSOR_X, pos, n, col, m, w->x);
        generate_qkv(c, col, m, w->w_qkv);
        accumulate(c, n, q, m, w->x, w->w_qkv, true, s->q);
        accumulate(c, n, d, m, w->x, w->w_qkv + (size_t)q * PIECE, true, s->k);
        accumulate(c, n, d, m, w->x, w->w_qkv + (size_t)(q + d) * PIECE, true, s->v);
        if (!p->backward)
            continue;
        generate_tokens(c, TENSOR_DY, pos, n, col, m, w->dy);
        generate_out(c, col, m, w->w_out);
        accumulate(c, n, q, m, w->dy, w->w_out, false, s->dout);
    }
    /* The layer stores what it projects, and again what it rotates. */
    round_doubles(p, s->k, kv_size);
    round_doubles(p, s->v, kv_size);
    round_doubles(p, s->q, q_size);
    round_doubles(p, s->dout, q_size);
    for (int t = 0; t < n; t++) {
        source_rope(p, pos[t], false, s->k + (size_t)t * (size_t)d);
        for (int h = 0; h < c->group; h++)
            source_rope(p, pos[t], false, s->q + (size_t)t * (size_t)q + (size_t)h * (size_t)d);
    }
    round_doubles(p, s->k, kv_size);
    round_doubles(p, s->q, q_size);
}

/* Su et al., "RoFormer", 2021, in the pairing of Hugging Face checkpoints. */
void source_rope(const struct problem *p, int32_t pos, bool inverse, double *row) {
    const int half = p->head_dim / 2;
    for (int i = 0; i < half; i++) {
        const double turn = pos * pow(p->rope_theta, -(double)i / half);
        const double cosine = cos(turn), sine = inverse ? -sin(turn) : sin(turn);
        const double a = row[i], b = row[half + i];
        row[i] = a * cosine - b * sine;
        row[half + i] = a * sine + b * cosine;
    }
}

void source_fill(struct source *s, const struct check *c, const int32_t *pos, int n) {
    if (c->p->core_only)
        fill_core(s, c, pos, n);
    else
        fill_projected(s, c, pos, n);
}
