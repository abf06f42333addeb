#include "bench/cases/comm_options.h"

#include <stdio.h>
#include <string.h>

#include "bench/record/head_shares.h"
#include "results/record/record.h"

/* The options that not all operations have, by what they choose between. */
static const struct {
    const char *key;
    enum op_parts parts;
} scopes[] = {
    {"fuse_qkv", OP_HEADS},
    {"ring_direction", OP_RING},
    {"ulysses_size", OP_SPLIT},
    {"inner", OP_SPLIT},
};

enum { SCOPES = sizeof scopes / sizeof scopes[0] };

/* What an operation needs for the option to mean something; 0: nothing. */
static unsigned parts_of(const char *key) {
    for (size_t k = 0; k < SCOPES; k++)
        if (strcmp(scopes[k].key, key) == 0)
            return scopes[k].parts;
    return 0;
}

static bool is(const struct sweep *sweep, size_t i, const char *option, const char *value) {
    return strcmp(sweep_str(sweep, i, option), value) == 0;
}

/* Ranks that exchange heads with each other. */
static int ulysses_size(const struct sweep *sweep, size_t i, const struct op_row *row,
                        const struct op_params *p) {
    const int sp = p->shape.sp_size;
    const int asked = (int)sweep_int(sweep, i, "ulysses-size"); /* auto: 0 */
    if (!(row->parts & OP_HEADS))
        return 1;
    if (!(row->parts & OP_SPLIT) || !p->by_shape)
        return sp;
    return asked > 0 ? asked : usp_default_ulysses_size(sp, p->shape.kv_heads);
}

void comm_options_resolve(const struct sweep *sweep, size_t i, const struct op_row *row,
                          struct op_params *p) {
    p->separate_qkv = (row->parts & OP_HEADS) && is(sweep, i, "fuse-qkv", "off");
    p->both_ways = (row->parts & OP_RING) && is(sweep, i, "ring-direction", "both");
    p->inner = (row->parts & OP_SPLIT) && is(sweep, i, "inner", "ring") ? USP_INNER_RING
                                                                        : USP_INNER_ULYSSES;
    p->shape.ulysses_size = ulysses_size(sweep, i, row, p);
    p->shape.ring_size = p->shape.sp_size / p->shape.ulysses_size;
}

bool comm_options_come_to(unsigned parts, const struct op_params *p, const char *key, char *out,
                          size_t size) {
    const unsigned needed = parts_of(key);
    if (!needed)
        return false;
    const bool split = p && p->shape.ulysses_size > 1 && p->shape.ring_size > 1;
    out[0] = '\0';
    if (!(parts & needed) || (strcmp(key, "inner") == 0 && !split))
        return true;
    if (strcmp(key, "ulysses_size") != 0)
        return false;
    snprintf(out, size, "%d", p->shape.ulysses_size);
    return true;
}

void comm_options_record(const struct op_row *row, const struct op_params *p, json_t *record) {
    if (row->parts & OP_HEADS)
        record_param_str(record, "fuse_qkv", p->separate_qkv ? "off" : "on");
    if (row->parts & OP_RING)
        record_param_str(record, "ring_direction", p->both_ways ? "both" : "one");
    if (row->parts & OP_SPLIT)
        record_param_str(record, "inner", usp_inner_name(p->inner));
    if (row->parts & (OP_HEADS | OP_RING)) {
        record_param_int(record, "ulysses_size", p->shape.ulysses_size);
        record_param_int(record, "ring_size", p->shape.ring_size);
    }
    if (row->parts & OP_HEADS)
        head_shares_record(&p->shape, record);
}

void comm_options_shares(const struct op_row *row, const struct op_params *p, char *out,
                         size_t size) {
    out[0] = '\0';
    if (row->parts & OP_HEADS)
        head_shares_text(&p->shape, out, size);
}
