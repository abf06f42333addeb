#include "bench/cases/model_shape.h"

bool model_shape_given(const struct options *o) {
    return o->model || o->heads > 0 || o->seq > 0;
}

static void overlay(int *value, int asked, int otherwise) {
    if (asked > 0)
        *value = asked;
    if (*value <= 0)
        *value = otherwise;
}

enum status model_shape_resolve(const struct options *o, const char *data_dir, bool with_hidden,
                                struct model_shape *out) {
    *out = (struct model_shape){.rope_theta = 10000};
    if (o->model) {
        const enum status st = model_load(o->model, data_dir, out);
        if (st != ST_OK)
            return st;
    }
    overlay(&out->heads, o->heads, 0);
    if (out->heads == 0)
        return fail(ST_USAGE,
                    "a model shape is missing: give --model NAME (see --list) or --heads N");
    overlay(&out->kv_heads, o->kv_heads, out->heads); /* MHA */
    overlay(&out->head_dim, o->head_dim, 128);
    if (with_hidden)
        overlay(&out->hidden, o->hidden, out->heads * out->head_dim);
    if (o->seq == 0)
        return fail(ST_USAGE, "a sequence length is missing: give --seq TOKENS, e.g. --seq 4k");
    return ST_OK;
}
