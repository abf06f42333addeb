#include "bench/cases/comm_case.h"

#include <stdio.h>
#include <string.h>

#include "bench/cases/comm_options.h"
#include "comm/transport/transport.h"
#include "device/dtype.h"

static enum op_pass pass_of(const char *name) {
    return strcmp(name, "fwd") == 0 ? OP_FORWARD : strcmp(name, "bwd") == 0 ? OP_BACKWARD : OP_BOTH;
}

/* The shape of one data-parallel group's exchange; the sequence must divide over its ranks. */
static enum status resolve_shape(const struct case_source *from, size_t i, struct comm_case *c,
                                 char *why, size_t why_size) {
    const struct sweep *sweep = from->sweep;
    const enum status st = shape_resolve(sweep, i, from->data_dir, false, &c->shape);
    if (st != ST_OK)
        return st;
    const int64_t seq = sweep_int(sweep, i, "seq"), sp = c->spread.sp_size;
    if (c->shape.heads % c->shape.kv_heads != 0)
        snprintf(why, why_size, "%d query heads cannot share %d KV heads evenly", c->shape.heads,
                 c->shape.kv_heads);
    else if (seq % sp != 0)
        snprintf(why, why_size, "%lld tokens do not divide over --sp %d; --seq %lld does",
                 (long long)seq, (int)sp, (long long)(seq + sp - seq % sp));
    struct sp_shape *s = &c->params.shape;
    s->batch = (int)sweep_int(sweep, i, "batch");
    s->seq = (size_t)seq;
    s->heads = c->shape.heads;
    s->kv_heads = c->shape.kv_heads;
    s->head_dim = c->shape.head_dim;
    return ST_OK;
}

bool comm_case_gradients_travel(const struct comm_case *c) {
    struct op_params other = c->params;
    other.shape.grad_bytes = c->params.shape.grad_bytes == 2 ? 4 : 2;
    const int sp = c->spread.sp_size;
    return op_send_buffer(c->row, c->pass, &c->params, sp) !=
           op_send_buffer(c->row, c->pass, &other, sp);
}

enum status comm_case_resolve(const struct case_source *from, size_t i, void *out, char *why,
                              size_t why_size) {
    const struct sweep *sweep = from->sweep;
    struct comm_case *c = out;
    *c = (struct comm_case){0};
    enum status st = spread_resolve(sweep, i, from->ranks, &c->spread);
    if (st != ST_OK)
        return st;
    enum dtype dtype = DTYPE_FP32, grad = DTYPE_FP32;
    st = dtype_parse(sweep_str(sweep, i, "dtype"), &dtype);
    if (st == ST_OK)
        st = dtype_parse(sweep_str(sweep, i, "grad-dtype"), &grad);
    if (st != ST_OK)
        return st;
    c->row = op_find(sweep_str(sweep, i, "op"));
    c->pass = pass_of(sweep_str(sweep, i, "pass"));
    const char *transport = sweep_str(sweep, i, "transport"),
               *algorithm = sweep_str(sweep, i, "mpi-algo");
    c->one_host.rule = transport_staging(transport, algorithm, true);
    c->apart.rule = transport_staging(transport, algorithm, false);
    c->cold = strcmp(sweep_str(sweep, i, "cache"), "cold") == 0;
    const int sp = c->spread.sp_size;
    c->params = (struct op_params){
        .by_shape = shape_given(sweep, i),
        .seed = (uint32_t)opts_int(from->opts, "seed", 0),
        .shape = {.sp_size = sp, .elem_bytes = dtype_bytes(dtype), .grad_bytes = dtype_bytes(grad)},
    };
    if (sweep_has(sweep, i, "bytes") && c->params.by_shape)
        return fail(
            ST_USAGE,
            "--bytes and a model shape (--model, --heads, --seq) exclude each other; give one");
    if (sweep_has(sweep, i, "bytes"))
        c->params.bytes = (size_t)sweep_int(sweep, i, "bytes");
    else if (!c->params.by_shape)
        return fail(ST_USAGE,
                    "comm needs sizes: --bytes 1k-16m*4, or a model shape: --model NAME --seq 4k");
    else if ((st = resolve_shape(from, i, c, why, why_size)) != ST_OK)
        return st;
    comm_options_resolve(sweep, i, c->row, &c->params);
    if (!why[0])
        op_supports(c->row, c->pass, &c->params, sp, why, why_size);
    return ST_OK;
}

bool comm_case_comes_to(const void *resolved, const char *key, char *out, size_t size) {
    const struct comm_case *c = resolved;
    if (strcmp(key, "grad_dtype") != 0)
        return comm_options_come_to(c->row->parts, &c->params, key, out, size);
    out[0] = '\0';
    return !comm_case_gradients_travel(c);
}
