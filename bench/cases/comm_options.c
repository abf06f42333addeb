#include "bench/cases/comm_options.h"

#include <stdio.h>
#include <string.h>

#include "bench/record/head_shares.h"
#include "results/record/record.h"

enum { MOST_OPS = 2 };

static const struct {
    const char *key;
    const char *ops[MOST_OPS];
} scopes[] = {
    {"fuse_qkv", {"ulysses", "usp"}},
    {"ring_direction", {"ring", "ring-hop"}},
    {"ulysses_size", {"usp"}},
    {"inner", {"usp"}},
};

enum { SCOPES = sizeof scopes / sizeof scopes[0] };

static bool has(const char *op, const char *key) {
    for (size_t k = 0; k < SCOPES; k++)
        for (int i = 0; i < MOST_OPS && scopes[k].ops[i]; i++)
            if (strcmp(scopes[k].key, key) == 0 && strcmp(scopes[k].ops[i], op) == 0)
                return true;
    return false;
}

static bool is_scoped(const char *key) {
    for (size_t k = 0; k < SCOPES; k++)
        if (strcmp(scopes[k].key, key) == 0)
            return true;
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
    if (!has(row->name, "fuse_qkv"))
        return 1;
    if (!has(row->name, "ulysses_size") || !p->by_shape)
        return sp;
    return asked > 0 ? asked : usp_default_ulysses_size(sp, p->shape.kv_heads);
}

void comm_options_resolve(const struct sweep *sweep, size_t i, const struct op_row *row,
                          struct op_params *p) {
    p->separate_qkv = has(row->name, "fuse_qkv") && is(sweep, i, "fuse-qkv", "off");
    p->both_ways = has(row->name, "ring_direction") && is(sweep, i, "ring-direction", "both");
    p->inner = has(row->name, "inner") && is(sweep, i, "inner", "ring") ? USP_INNER_RING
                                                                        : USP_INNER_ULYSSES;
    p->shape.ulysses_size = ulysses_size(sweep, i, row, p);
    p->shape.ring_size = p->shape.sp_size / p->shape.ulysses_size;
}

bool comm_options_come_to(const char *op, const struct op_params *p, const char *key, char *out,
                          size_t size) {
    if (!is_scoped(key))
        return false;
    const bool split = p && p->shape.ulysses_size > 1 && p->shape.ring_size > 1;
    out[0] = '\0';
    if (!has(op, key) || (strcmp(key, "inner") == 0 && !split))
        return true;
    if (strcmp(key, "ulysses_size") != 0)
        return false;
    snprintf(out, size, "%d", p->shape.ulysses_size);
    return true;
}

void comm_options_record(const struct op_row *row, const struct op_params *p, json_t *record) {
    if (has(row->name, "fuse_qkv"))
        record_param_str(record, "fuse_qkv", p->separate_qkv ? "off" : "on");
    if (has(row->name, "ring_direction"))
        record_param_str(record, "ring_direction", p->both_ways ? "both" : "one");
    if (has(row->name, "inner"))
        record_param_str(record, "inner", usp_inner_name(p->inner));
    if (has(row->name, "fuse_qkv") || has(row->name, "ring_direction")) {
        record_param_int(record, "ulysses_size", p->shape.ulysses_size);
        record_param_int(record, "ring_size", p->shape.ring_size);
    }
    if (has(row->name, "fuse_qkv"))
        head_shares_record(&p->shape, record);
}

void comm_options_shares(const struct op_row *row, const struct op_params *p, char *out,
                         size_t size) {
    out[0] = '\0';
    if (has(row->name, "fuse_qkv"))
        head_shares_text(&p->shape, out, size);
}
