/* local: one rank holds the whole sequence. What the other methods are compared with. */
#include <stdio.h>
#include <stdlib.h>

#include "attn/method.h"

struct local {
    float *lse, *delta; /* [batch, heads, tokens] */
};

static enum layout default_layout(const struct problem *p) {
    (void)p;
    return LAYOUT_CONTIGUOUS;
}

static void split(struct problem *p) {
    p->ulysses_size = 1;
    p->ring_size = p->sp_size;
}

static bool supports(const struct problem *p, char *why, size_t why_size) {
    if (p->sp_size == 1)
        return true;
    snprintf(why, why_size, "local keeps a sequence on one rank, but --sp is %d; use --sp 1",
             p->sp_size);
    return false;
}

static size_t volume(const struct problem *p, int sp_rank) {
    (void)p;
    (void)sp_rank;
    return 0;
}

static size_t rows(const struct problem *p) {
    return (size_t)p->batch * (size_t)p->heads * (size_t)problem_local_tokens(p);
}

/* LSE, and delta for the backward pass: a float per row. */
static void memory(const struct problem *p, const struct predict_env *env,
                   struct mem_predict *out) {
    (void)env;
    out->bytes[MEM_ACTIVATIONS] += 4 * rows(p) * (p->backward ? 2 : 1);
}

static void close_local(struct attention *a) {
    struct local *s = a->state;
    if (!s)
        return;
    a->dev->row->free(a->dev, a->ledger, s->delta);
    a->dev->row->free(a->dev, a->ledger, s->lse);
    free(s);
}

static enum status open_local(struct attention *a) {
    struct local *s = calloc(1, sizeof *s);
    if (!s)
        return fail(ST_ENV, "out of memory for a method");
    a->state = s;
    enum status st = attention_floats(a, MEM_ACTIVATIONS, rows(&a->problem), &s->lse);
    if (st == ST_OK && a->problem.backward)
        st = attention_floats(a, MEM_ACTIVATIONS, rows(&a->problem), &s->delta);
    return st;
}

static void forward(struct attention *a) {
    const struct local *s = a->state;
    struct attn_args args = attention_args(a);
    args.lse = s->lse;
    trace_begin(a->transport->trace, PHASE_ATTENTION);
    a->dev->row->attn_forward(a->dev, &args);
    trace_end(a->transport->trace);
}

static void backward(struct attention *a) {
    const struct local *s = a->state;
    const struct problem *p = &a->problem;
    struct attn_args args = attention_args(a);
    args.lse = s->lse;
    args.delta = s->delta;
    trace_begin(a->transport->trace, PHASE_ATTENTION_BWD);
    const struct rows_shape shape = {p->batch, args.q_tokens, p->heads, p->head_dim};
    a->dev->row->delta(a->dev, shape, args.o, args.dout, s->delta);
    a->dev->row->zero(a->dev, a->dq.data, a->dq.bytes);
    a->dev->row->zero(a->dev, a->dkv.data, a->dkv.bytes);
    a->dev->row->attn_backward(a->dev, &args);
    trace_end(a->transport->trace);
}

static struct lse_view lse(const struct attention *a) {
    const struct local *s = a->state;
    return (struct lse_view){
        s->lse, s->delta, 0, a->problem.heads, problem_local_tokens(&a->problem), a->mine};
}

const struct sp_method sp_local = {
    .name = "local",
    .help = "no sequence parallelism: the whole sequence on one rank",
    .default_layout = default_layout,
    .split = split,
    .supports = supports,
    .volume = volume,
    .memory = memory,
    .open = open_local,
    .close = close_local,
    .forward = forward,
    .backward = backward,
    .lse = lse,
};
