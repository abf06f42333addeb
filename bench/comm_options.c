#include "bench/comm_options.h"

#include <stdio.h>
#include <string.h>

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

static struct head_share share_of(const struct sp_shape *s, int ulysses_rank) {
    return head_share(s->heads, s->kv_heads, s->ulysses_size, ulysses_rank);
}

static bool uneven(const struct op_row *row, const struct op_params *p) {
    if (!has(row, "fuse-qkv"))
        return false;
    const struct head_share first = share_of(&p->shape, 0);
    for (int q = 1; q < p->shape.ulysses_size; q++) {
        const struct head_share share = share_of(&p->shape, q);
        if (share.nq != first.nq || share.nkv != first.nkv)
            return true;
    }
    return false;
}

static json_t *shares(const struct sp_shape *s) {
    json_t *array = json_array();
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share h = share_of(s, q);
        json_array_append_new(array, json_pack("{s:i, s:i, s:i, s:i, s:i}", "ulysses_rank", q,
                                               "q_first", h.q0, "q_heads", h.nq, "kv_first", h.kv0,
                                               "kv_heads", h.nkv));
    }
    return array;
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
    if (uneven(row, p))
        record_param_json(record, "head_shares", shares(&p->shape));
}

/* "10,9,9": what each rank has of one kind of heads; cut where it does not fit. */
static void list(const struct sp_shape *s, bool kv, char *out, size_t size) {
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share h = share_of(s, q);
        const size_t used = strlen(out);
        if (used + 16 > size) {
            snprintf(out + used, size - used, ",...");
            return;
        }
        snprintf(out + used, size - used, "%s%d", q > 0 ? "," : "", kv ? h.nkv : h.nq);
    }
}

void comm_options_shares(const struct op_row *row, const struct op_params *p, char *out,
                         size_t size) {
    char query[160] = "", kv[160] = "";
    out[0] = '\0';
    if (!uneven(row, p))
        return;
    list(&p->shape, false, query, sizeof query);
    list(&p->shape, true, kv, sizeof kv);
    snprintf(out, size, "heads per %srank: query %s; key/value %s",
             has(row, "inner") ? "Ulysses " : "", query, kv);
}
