#include "bench/comm_options.h"

#include <stdio.h>
#include <string.h>

#include "bench/head_shares.h"
#include "results/record.h"

enum { MOST_OPS = 2 };

static const struct {
    const char *option;
    const char *ops[MOST_OPS];
} scopes[] = {
    {"fuse-qkv", {"ulysses", "usp"}},
    {"ring-direction", {"ring", "ring-hop"}},
    {"ulysses-size", {"usp"}},
    {"inner", {"usp"}},
};

enum { SCOPES = sizeof scopes / sizeof scopes[0] };

static bool in_scope(size_t scope, const struct op_row *row) {
    for (int i = 0; i < MOST_OPS && scopes[scope].ops[i]; i++)
        if (strcmp(scopes[scope].ops[i], row->name) == 0)
            return true;
    return false;
}

static bool has(const struct op_row *row, const char *option) {
    for (size_t k = 0; k < SCOPES; k++)
        if (strcmp(scopes[k].option, option) == 0)
            return in_scope(k, row);
    return false;
}

static bool is(const struct sweep *sweep, size_t i, const char *option, const char *value) {
    return strcmp(sweep_str(sweep, i, option), value) == 0;
}

/* Ranks that exchange heads with each other. */
static int ulysses_size(const struct sweep *sweep, size_t i, const struct op_row *row,
                        const struct op_params *p) {
    const int sp = p->shape.sp_size;
    const int asked = (int)sweep_int(sweep, i, "ulysses-size"); /* auto: 0 */
    if (!has(row, "fuse-qkv"))
        return 1;
    if (!has(row, "ulysses-size") || !p->by_shape)
        return sp;
    return asked > 0 ? asked : usp_default_ulysses_size(sp, p->shape.kv_heads);
}

void comm_options_resolve(const struct sweep *sweep, size_t i, const struct op_row *row,
                          struct op_params *p, char *why, size_t why_size) {
    for (size_t k = 0; k < SCOPES; k++)
        if (!in_scope(k, row) && !sweep_is_first(sweep, i, scopes[k].option))
            snprintf(why, why_size, "--%s makes no difference to it: measured once",
                     scopes[k].option);
    p->separate_qkv = has(row, "fuse-qkv") && is(sweep, i, "fuse-qkv", "off");
    p->both_ways = has(row, "ring-direction") && is(sweep, i, "ring-direction", "both");
    p->inner =
        has(row, "inner") && is(sweep, i, "inner", "ring") ? USP_INNER_RING : USP_INNER_ULYSSES;
    p->shape.ulysses_size = ulysses_size(sweep, i, row, p);
    p->shape.ring_size = p->shape.sp_size / p->shape.ulysses_size;
}

void comm_options_record(const struct op_row *row, const struct op_params *p, json_t *record) {
    if (has(row, "fuse-qkv"))
        record_param_str(record, "fuse_qkv", p->separate_qkv ? "off" : "on");
    if (has(row, "ring-direction"))
        record_param_str(record, "ring_direction", p->both_ways ? "both" : "one");
    if (has(row, "inner"))
        record_param_str(record, "inner", usp_inner_name(p->inner));
    if (has(row, "fuse-qkv") || has(row, "ring-direction")) {
        record_param_int(record, "ulysses_size", p->shape.ulysses_size);
        record_param_int(record, "ring_size", p->shape.ring_size);
    }
    if (has(row, "fuse-qkv"))
        head_shares_record(&p->shape, record);
}

void comm_options_shares(const struct op_row *row, const struct op_params *p, char *out,
                         size_t size) {
    out[0] = '\0';
    if (has(row, "fuse-qkv"))
        head_shares_text(&p->shape, out, size);
}
