#include "bench/cases/comm_case.h"

#include <stdio.h>

#include "device/dtype.h"

/* The shape of one data-parallel group's exchange; the sequence must divide over its ranks. */
static enum status resolve_shape(const struct case_source *from, const struct options *o,
                                 struct comm_case *c, char *why, size_t why_size) {
    const enum status st = model_shape_resolve(o, from->data_dir, false, &c->shape);
    if (st != ST_OK)
        return st;
    const int64_t seq = o->seq, sp = c->grid.sp_size;
    if (c->shape.heads % c->shape.kv_heads != 0)
        snprintf(why, why_size, "%d query heads cannot share %d KV heads evenly", c->shape.heads,
                 c->shape.kv_heads);
    else if (seq % sp != 0)
        snprintf(why, why_size, "%lld tokens do not divide over --sp %d; --seq %lld does",
                 (long long)seq, (int)sp, (long long)(seq + sp - seq % sp));
    struct sp_shape *s = &c->params.shape;
    s->batch = o->batch;
    s->seq = (size_t)seq;
    s->heads = c->shape.heads;
    s->kv_heads = c->shape.kv_heads;
    s->head_dim = c->shape.head_dim;
    return ST_OK;
}

bool comm_case_gradients_travel(const struct comm_case *c) {
    struct op_params other = c->params;
    other.shape.grad_bytes = c->params.shape.grad_bytes == 2 ? 4 : 2;
    const int sp = c->grid.sp_size;
    return op_send_buffer(c->row, c->pass, &c->params, sp) !=
           op_send_buffer(c->row, c->pass, &other, sp);
}

/* What makes no difference to an operation that can run. */
static void settle(struct options *o, const struct comm_case *c) {
    const struct sp_shape *s = &c->params.shape;
    o->ulysses_size = s->ulysses_size;
    if (s->ulysses_size == 1 || s->ring_size == 1) /* there is but one order */
        o->inner = USP_INNER_ULYSSES;
    if (!comm_case_gradients_travel(c))
        o->grad_dtype = DTYPE_FP32;
}

enum status comm_case_resolve(const struct case_source *from, struct options *o, void *out,
                              char *why, size_t why_size) {
    struct comm_case *c = out;
    *c = (struct comm_case){.row = o->op, .pass = o->pass, .cold = o->cache == CACHE_COLD};
    options_keep(o, c->row->options);
    enum status st = grid_shape_resolve(o, from->ranks, &c->grid);
    if (st != ST_OK)
        return st;
    staging_resolve(o, &c->one_host, &c->apart);
    const int sp = c->grid.sp_size;
    c->params = (struct op_params){
        .by_shape = model_shape_given(o),
        .bytes = o->bytes,
        .seed = o->seed,
        .separate_qkv = !o->fuse_qkv,
        .both_ways = o->ring_direction == 2,
        .inner = o->inner,
        .shape = {.sp_size = sp,
                  .ulysses_size = c->row->split ? o->ulysses_size : 1,
                  .ring_size = sp,
                  .elem_bytes = dtype_bytes(o->dtype),
                  .grad_bytes = dtype_bytes(o->grad_dtype)},
    };
    if (o->bytes > 0 && c->params.by_shape)
        return fail(
            ST_USAGE,
            "--bytes and a model shape (--model, --heads, --seq) exclude each other; give one");
    if (o->bytes == 0 && !c->params.by_shape)
        return fail(ST_USAGE,
                    "comm needs sizes: --bytes 1k-16m*4, or a model shape: --model NAME --seq 4k");
    if (c->params.by_shape && (st = resolve_shape(from, o, c, why, why_size)) != ST_OK)
        return st;
    if (c->row->split)
        c->row->split(&c->params.shape);
    if (!why[0] && op_supports(c->row, c->pass, &c->params, sp, why, why_size))
        settle(o, c);
    return ST_OK;
}
