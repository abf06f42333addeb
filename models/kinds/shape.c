#include "models/kinds/shape.h"

#include <stdio.h>
#include <string.h>

#include "models/config/families.h"

static struct layer_view view_of(const struct model_layer *layer, int i, int n) {
    return (struct layer_view){
        .over = layer->over,
        .scope = layer->role == ROLE_WINDOW ? SCOPE_WINDOW : SCOPE_FULL,
        .index = i,
        .layers = n,
    };
}

/* K and V heads of a model that has one of each, or one for some queries. */
static bool shares_kv(const struct model_config *c) {
    const char *type = json_string_value(config_find(c, "attn_type"));
    if (type && strcmp(type, "multiquery_attention") == 0)
        return true;
    return !config_is(c, "new_decoder_architecture", true) &&
           (config_is(c, "multi_query", true) || config_is(c, "multi_query_attention", true));
}

static enum status read_kv_heads(const struct model_config *c, const struct layer_view *view,
                                 struct layer_kind *out) {
    int per_kv = 0;
    if (shares_kv(c)) {
        out->kv_heads = 1;
        return config_int(c, view, FIELD_GROUPS, &out->kv_heads);
    }
    enum status st = config_int(c, view, FIELD_HEADS_PER_KV, &per_kv);
    if (st)
        return st;
    if (per_kv && out->heads % per_kv)
        return config_fail(c, model_fields[FIELD_HEADS_PER_KV].names[0],
                           "is %d, of which %d heads are no multiple", per_kv, out->heads);
    out->kv_heads = per_kv ? out->heads / per_kv : out->heads;
    struct layer_view own = *view;
    if (config_is(c, "attention_k_eq_v", false)) /* else layers without window have their own */
        own.scope = own.scope == SCOPE_FULL ? SCOPE_ANY : own.scope;
    return per_kv ? ST_OK : config_int(c, &own, FIELD_KV_HEADS, &out->kv_heads);
}

/* Heads that share out the hidden size (or twice that), where the file does not give their width.
 */
static enum status share_hidden(const struct model_config *c, int hidden, int heads, int *out) {
    const int width = c->family->flags & FAMILY_WIDE_HEADS ? 2 * hidden : hidden;
    if (width % heads)
        return config_fail(c, "head_dim",
                           "is missing and hidden_size %d is not a multiple of num_attention_heads "
                           "%d",
                           hidden, heads);
    *out = width / heads;
    return *out <= model_fields[FIELD_HEAD_DIM].max
               ? ST_OK
               : config_fail(c, "head_dim", "is missing and would be %d; 1 to %d is expected", *out,
                             model_fields[FIELD_HEAD_DIM].max);
}

/* Latent attention: K and V are made from a common vector of a token, a head each for every query
 * head, before they meet Q; a part of Q and K is rotated. */
static enum status read_latent(const struct model_config *c, const struct layer_view *view,
                               int hidden, struct layer_kind *out) {
    int plain = -1, rotated = -1, kv_heads = out->heads;
    enum status st = config_int(c, view, FIELD_NOPE_DIM, &plain);
    if (!st)
        st = config_int(c, view, FIELD_ROPE_DIM, &rotated);
    if (!st)
        st = config_int(c, view, FIELD_V_HEAD_DIM, &out->v_head_dim);
    if (!st)
        st = config_int(c, view, FIELD_KV_HEADS, &kv_heads);
    if (!st && plain < 0)
        st = config_missing(c, FIELD_NOPE_DIM);
    if (!st && rotated < 0)
        st = config_missing(c, FIELD_ROPE_DIM);
    if (!st && out->v_head_dim < 1 && c->family->flags & FAMILY_V_OF_HIDDEN)
        st = share_hidden(c, hidden, out->heads, &out->v_head_dim);
    if (!st && (out->v_head_dim < 1 || plain + rotated < 1))
        st = config_missing(c, out->v_head_dim < 1 ? FIELD_V_HEAD_DIM : FIELD_NOPE_DIM);
    if (st)
        return st;
    if (kv_heads != out->heads)
        note_add(c->notes,
                 "field '%s%s' is %d: latent attention has a head of K and V for each of the %d "
                 "query heads",
                 c->where, model_fields[FIELD_KV_HEADS].names[0], kv_heads, out->heads);
    out->kv_heads = out->heads;
    out->head_dim = plain + rotated;
    out->rotary_dim = rotated;
    return ST_OK;
}

static enum status read_plain(const struct model_config *c, const struct layer_view *view,
                              int hidden, struct layer_kind *out) {
    enum status st = read_kv_heads(c, view, out);
    if (!st)
        st = config_int(c, view, FIELD_HEAD_DIM, &out->head_dim);
    if (!st && config_said(c, model_fields[FIELD_V_HEAD_DIM].names[0]))
        st = config_int(c, view, FIELD_V_HEAD_DIM, &out->v_head_dim);
    if (!st && out->heads % out->kv_heads)
        st = config_fail(c, model_fields[FIELD_KV_HEADS].names[0],
                         "does not fit: num_attention_heads %d is not a multiple of %d KV heads",
                         out->heads, out->kv_heads);
    if (!st && !out->head_dim)
        st = share_hidden(c, hidden, out->heads, &out->head_dim);
    if (!st && !out->v_head_dim)
        out->v_head_dim = out->head_dim;
    return st;
}

static enum status read_sizes(const struct model_config *c, const struct layer_view *view,
                              int hidden, struct layer_kind *out) {
    int rank = 0;
    enum status st = config_int(c, view, FIELD_HEADS, &out->heads);
    if (!st && !out->heads)
        st = config_missing(c, FIELD_HEADS);
    if (!st)
        st = config_int(c, view, FIELD_KV_RANK, &rank);
    if (st)
        return st;
    const bool latent = rank > 0 && !config_is(c, "use_mla", false);
    return latent ? read_latent(c, view, hidden, out) : read_plain(c, view, hidden, out);
}

/* Whether queries see keys behind them. */
static bool is_bidirectional(const struct model_config *c) {
    const json_t *both = config_find(c, "use_bidirectional_attention");
    const char *which = json_string_value(both);
    if (json_is_true(both) || (which && strcmp(which, "all") == 0))
        return true;
    if (config_is(c, "causal", false) || config_is(c, "is_causal", false) ||
        config_is(c, "bidirectional", true))
        return true;
    const char *architecture =
        json_string_value(json_array_get(json_object_get(c->root, "architectures"), 0));
    const bool image = config_said(c, "patch_size") && !config_said(c, "vocab_size");
    const bool masked = c->family->flags & FAMILY_BIDIRECTIONAL || image ||
                        (architecture && strstr(architecture, "ForMaskedLM"));
    return masked && !config_is(c, "is_decoder", true);
}

static enum status read_mask(const struct model_config *c, const struct model_layer *layer,
                             const struct layer_view *view, struct layer_kind *out) {
    const bool window = layer->role == ROLE_WINDOW, chunk = layer->role == ROLE_CHUNK,
               both = is_bidirectional(c);
    int size = layer->window;
    const enum field_id field = window ? FIELD_WINDOW : FIELD_CHUNK;
    const char *name = model_fields[field].names[0];
    enum status st = ST_OK;
    if (!size && (window || chunk))
        st = config_int(c, view, field, &size);
    if (st)
        return st;
    if ((window || chunk) && size < 1)
        return config_fail(c, name, "is missing, though there are layers with a %s",
                           window ? "window" : "chunk");
    if ((window || chunk) && both)
        return config_fail(c, name,
                           "is %d in a model whose queries see what is behind them: a window to "
                           "both sides is no mask here",
                           size);
    if (window || chunk)
        snprintf(out->mask, sizeof out->mask, "%s:%d", window ? "window" : "chunk", size);
    else
        snprintf(out->mask, sizeof out->mask, "%s", both ? "full" : "causal");
    return ST_OK;
}

enum status shape_read(const struct model_config *config, const struct model_layer *layer, int i,
                       int n, int hidden, struct layer_kind *out) {
    *out = (struct layer_kind){.count = 1, .sort = LAYER_NONE};
    if (layer->role == ROLE_LINEAR)
        out->sort = LAYER_LINEAR;
    if (layer->role == ROLE_LINEAR || layer->role == ROLE_NONE || layer->role == ROLE_CROSS ||
        layer->role == ROLE_UNKNOWN)
        return ST_OK;
    out->sort = LAYER_SOFTMAX;
    const struct layer_view view = view_of(layer, i, n);
    const enum status st = read_sizes(config, &view, hidden, out);
    return st ? st : read_mask(config, layer, &view, out);
}
