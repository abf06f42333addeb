#include "models/layers/names.h"

#include "models/config/words.h"

const struct layer_names list_names[] = {
    {"full_attention attention attn global_attention global full softmax_attention softmax "
     "shared_attention a",
     ROLE_FULL},
    {"sliding_attention sliding_window_attention sliding_window sliding local_attention local swa",
     ROLE_WINDOW},
    {"chunked_attention", ROLE_CHUNK},
    {"indexed_attention deepseek_sparse_attention qwen_sparse_attention minimax_m3_sparse",
     ROLE_SELECT},
    {"hybrid g", ROLE_FULL, true},
    {"hybrid_sliding", ROLE_WINDOW, true},
    {"linear_attention linear lightning_attention mamba mamba1 mamba2 m m2 ssm recurrent rglru "
     "rwkv gated_deltanet deltanet gdn kda gla jet hyena conv",
     ROLE_LINEAR},
    {"moe mlp ffn f no_op identity", ROLE_NONE},
    {"cross_attention", ROLE_CROSS},
    {NULL},
};

const struct layer_names hybrid_letters[] = {
    {"M", ROLE_LINEAR},
    {"*", ROLE_FULL},
    {"- E", ROLE_NONE},
    {NULL},
};

const struct layer_names window_letters[] = {
    {"L", ROLE_WINDOW},
    {"G", ROLE_FULL},
    {NULL},
};

const struct layer_names family_letters[] = {
    {"F", ROLE_FULL},       {"S", ROLE_WINDOW}, {"L", ROLE_LINEAR},
    {"H", ROLE_FULL, true}, {"I", ROLE_SELECT}, {NULL},
};

void layer_by_name(const struct layer_names *table, const char *name, size_t length,
                   struct model_layer *layer) {
    const struct layer_names *row = table;
    while (row->words && !words_have(row->words, name, length))
        row++;
    layer->role = row->words ? row->role : ROLE_UNKNOWN;
    layer->branches = row->branches;
    layer->name = name;
    layer->name_length = (int)length;
}
