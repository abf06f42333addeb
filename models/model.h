/* Shapes of models, read from Hugging Face config.json files. */
#ifndef SPB_MODELS_MODEL_H
#define SPB_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct model_shape {
    char name[64];     /* of the file, or of its directory for DIR/config.json; may be cut */
    int hidden;        /* hidden_size */
    int layers;        /* num_hidden_layers */
    int heads;         /* num_attention_heads: query heads */
    int kv_heads;      /* num_key_value_heads; absent: heads (MHA). Divides heads */
    int head_dim;      /* absent: hidden / heads, which must divide */
    int intermediate;  /* intermediate_size of the MLP */
    int vocab;         /* vocab_size */
    bool tied;         /* tie_word_embeddings; absent: false */
    double rope_theta; /* base of the rotary frequencies; absent: 10000 */
};

/* Reads the shape of a model: a bare name stands for data_dir/models/NAME.json, anything with a
 * '/' or that ends in ".json" is a path. Fields that the shape does not need are ignored.
 * ST_USAGE (logged with file, field and what is expected) for a model that is unknown, a file
 * that is malformed, or a field that is missing, wrongly typed or out of bounds. */
enum status model_load(const char *name_or_path, const char *data_dir, struct model_shape *out);

/* Names of the models in data_dir/models, sorted, separated by ", ", into buf[size] (cut where it
 * does not fit; empty when there are none). */
void model_names(const char *data_dir, char *buf, size_t size);

#endif
