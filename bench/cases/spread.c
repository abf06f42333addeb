#include "bench/cases/spread.h"

#include "comm/transport/transport.h"

enum status spread_resolve(struct options *o, int ranks, struct spread *out) {
    const int sp = o->sp, dp = o->dp_shard; /* auto: 0 */
    out->ranks = ranks;
    out->placement = o->placement;
    out->sp_size = sp ? sp : dp ? (ranks / dp ? ranks / dp : 1) : ranks;
    out->dp_shard_size = dp ? dp : ranks / out->sp_size ? ranks / out->sp_size : 1;
    o->sp = out->sp_size;
    o->dp_shard = out->dp_shard_size;
    if (o->sp == 1 || o->dp_shard == 1) /* there is but one order */
        o->placement = SP_INNER;
    if (o->transport && o->transport->algorithm == ALGORITHM_UNUSED)
        o->mpi_algo = NULL;
    return grid_check(out->sp_size, out->dp_shard_size, ranks);
}

void staging_resolve(const struct options *o, struct staging *one_host, struct staging *apart) {
    one_host->rule = transport_staging(transport_asked(o), algorithm_asked(o), true);
    apart->rule = transport_staging(transport_asked(o), algorithm_asked(o), false);
}

bool shape_given(const struct options *o) {
    return o->model || o->heads > 0 || o->seq > 0;
}

static void overlay(int *value, int asked, int otherwise) {
    if (asked > 0)
        *value = asked;
    if (*value <= 0)
        *value = otherwise;
}

enum status shape_resolve(const struct options *o, const char *data_dir, bool with_hidden,
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
