#include "models/kinds/remarks.h"

#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#include "models/kinds/rope.h"
#include "models/layers/dialects.h"

/* Patterns of names that are about attention, or about which layers have it. */
static const char *const suspects[] = {
    "*attn*",      "*attention*",  "*head*",       "*window*",
    "*sliding*",   "*swa_*",       "*chunk*",      "*kv_*",
    "*_kv*",       "*rope*",       "*rotary*",     "*alibi*",
    "*causal*",    "*mla*",        "qk_*",         "*_lora_rank",
    "*indexer*",   "index_*",      "*global*",     "*local*",
    "*loop*",      "*cross_*",     "*compress*",   "*prefix_lm",
    "*_pattern*",  "*interval",    "*period",      "*layer_ids",
    "*_layers",    "*_block_type", "*block_types", "*layer_type*",
    "*layer_idx*", "*_idxs",       "*hybrid*",     "position_embedding_type",
    NULL,
};

/* ... of those that change neither what is computed at which cost nor what is sent, or tell of
 * layers other than softmax attention. */
static const char *const harmless[] = {
    "*dropout*",
    "*pdrop*",
    "*bias*",
    "*norm*",
    "*scale*",
    "*scaling*",
    "*scalar",
    "*multiplier",
    "*factor",
    "*softcap*",
    "*clip*",
    "*temperature*",
    "*gate*",
    "*sink*",
    "*sparsity*",
    "*activation",
    "*fp32*",
    "*cache*",
    "*impl*",
    "*flash*",
    "*efficient_attention",
    "*token*",
    "*vision*",
    "*image*",
    "*audio*",
    "*video*",
    "*mlp*",
    "*moe*",
    "*expert*",
    "*dense*",
    "*mtp*",
    "*lm_head*",
    "*mamba*",
    "linear_*",
    "*ngram*",
    "chunk_size*",
    "qk_head_dim",
    "rope_ratio",
    "rope_interleave",
    "original_rope",
    "rotary",
    "offset_alibi",
    "*logn*",
    "conv_*",
    "attention_method",
    "share_input*",
    "order_of_interleaved_layers",
    "parallel_attn",
    "attention_hidden_size",
    "output_attentions",
    "cross_attention_hidden_size",
    NULL,
};

/* Fields that are read for what they say, without a table of their names. */
static const char *const read_apart[] = {
    "multi_query",
    "multi_query_attention",
    "new_decoder_architecture",
    "attn_type",
    "attn_config",
    "attn_cfg",
    "use_mla",
    "attention_k_eq_v",
    "use_bidirectional_attention",
    "causal",
    "is_causal",
    "bidirectional",
    "alibi",
    "position_embedding_type",
    "use_mem_rope",
    "mla_use_nope",
    "no_rope_layer_interval",
    "rope_parameters",
    "q_lora_rank",
    "swa_rope_theta",
    "rope_local_base_freq",
    "num_kv_shared_layers",
    "num_kv_reuse_layers",
    "use_cla",
    "kv_reuse_group",
    "kv_reuse_every_i_layer",
    "rope",
    "efficient_attention_config",
    NULL,
};

static bool matches(const char *const *patterns, const char *name) {
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return true;
    return false;
}

static bool listed(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_field(const char *name) {
    for (size_t i = 0; i < FIELDS; i++) {
        const struct model_field *f = &model_fields[i];
        if (listed(f->names, FIELD_NAMES, name) || listed(f->window_names, FIELD_SCOPED, name) ||
            listed(f->full_names, FIELD_SCOPED, name))
            return true;
    }
    return false;
}

/* The first part of "object.field" counts as read, too. */
static bool in_dialects(const struct dialect *rows, const char *name) {
    const size_t length = strlen(name);
    for (; rows->fields[0]; rows++) {
        if (listed(rows->also, DIALECT_FIELDS, name))
            return true;
        for (int i = 0; i < DIALECT_FIELDS && rows->fields[i]; i++)
            if (strncmp(rows->fields[i], name, length) == 0 &&
                (rows->fields[i][length] == '\0' || rows->fields[i][length] == '.'))
                return true;
    }
    return false;
}

static bool is_read(const char *name) {
    return is_field(name) || in_dialects(layer_dialects, name) ||
           in_dialects(window_dialects, name) || in_dialects(overlay_dialects, name) ||
           listed(rope_part_names, SIZE_MAX, name) || listed(rope_theta_names, SIZE_MAX, name) ||
           listed(rope_flag_names, SIZE_MAX, name) || listed(read_apart, SIZE_MAX, name);
}

/* null, false, 0, and what is empty: as if it were not there. */
static bool says_something(const json_t *value) {
    return !(json_is_null(value) || json_is_false(value) ||
             (json_is_integer(value) && json_integer_value(value) == 0) ||
             (json_is_string(value) && json_string_length(value) == 0) ||
             (json_is_array(value) && json_array_size(value) == 0) ||
             (json_is_object(value) && json_object_size(value) == 0));
}

static void note_unknown(const struct model_config *config, json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        if (matches(suspects, name) && !matches(harmless, name) && !is_read(name) &&
            says_something(value))
            note_add(config->notes, "field '%s%s' is not understood, and left out of account",
                     config->where, name);
    }
}

void remark_unknown(const struct model_config *config) {
    note_unknown(config, config->text);
    note_unknown(config, config->attention);
}
