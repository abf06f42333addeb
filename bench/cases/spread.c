#include "bench/cases/spread.h"

#include <string.h>

enum status spread_resolve(const struct sweep *sweep, size_t i, int ranks, struct spread *out) {
    const int64_t sp = sweep_int(sweep, i, "sp"),
                  dp = sweep_int(sweep, i, "dp-shard"); /* auto: 0 */
    out->ranks = ranks;
    out->placement =
        strcmp(sweep_str(sweep, i, "placement"), "sp-outer") == 0 ? SP_OUTER : SP_INNER;
    out->sp_size = (int)(sp ? sp : dp ? (ranks / dp ? ranks / dp : 1) : ranks);
    out->dp_shard_size = (int)(dp ? dp : ranks / out->sp_size ? ranks / out->sp_size : 1);
    return grid_check(out->sp_size, out->dp_shard_size, ranks);
}

bool shape_given(const struct sweep *sweep, size_t i) {
    return sweep_has(sweep, i, "model") || sweep_has(sweep, i, "heads") ||
           sweep_has(sweep, i, "seq");
}

enum status shape_resolve(const struct sweep *sweep, size_t i, const char *data_dir,
                          bool with_hidden, struct model_shape *out) {
    *out = (struct model_shape){.rope_theta = 10000};
    if (sweep_has(sweep, i, "model")) {
        const enum status st = model_load(sweep_str(sweep, i, "model"), data_dir, out);
        if (st != ST_OK)
            return st;
    }
    const struct {
        const char *option;
        int *value;
        int otherwise; /* 0: it must be given */
    } parts[] = {
        {"heads", &out->heads, 0},
        {"kv-heads", &out->kv_heads, -1}, /* heads: MHA */
        {"head-dim", &out->head_dim, 128},
        {"hidden", &out->hidden, -2}, /* heads * head_dim */
    };
    const size_t n = with_hidden ? 4 : 3;
    for (size_t k = 0; k < n; k++) {
        if (sweep_has(sweep, i, parts[k].option))
            *parts[k].value = (int)sweep_int(sweep, i, parts[k].option);
        if (*parts[k].value > 0)
            continue;
        if (parts[k].otherwise == 0)
            return fail(ST_USAGE,
                        "a model shape is missing: give --model NAME (see --list) or --%s N",
                        parts[k].option);
        *parts[k].value = parts[k].otherwise == -1   ? out->heads
                          : parts[k].otherwise == -2 ? out->heads * out->head_dim
                                                     : parts[k].otherwise;
    }
    if (!sweep_has(sweep, i, "seq"))
        return fail(ST_USAGE, "a sequence length is missing: give --seq TOKENS, e.g. --seq 4k");
    return ST_OK;
}
