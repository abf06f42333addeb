/* Models, read from their Hugging Face config.json files. */
#ifndef SPB_MODELS_MODEL_H
#define SPB_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "models/kinds/kinds.h"

/* Reads a model: a bare name stands for data_dir/models/NAME.json, anything with a '/' or that ends
 * in ".json" is a path. Fields that attention does not need may be absent, and are not looked at.
 * ST_USAGE (logged with file, field and what is expected) for a model that is unknown, a file that
 * is malformed, and for what would make the kinds wrong: a field that is missing, wrongly typed or
 * out of bounds, or a model that attends in a way no kind describes. ST_ENV without memory. */
enum status model_open(const char *name_or_path, const char *data_dir, struct model *out);
void model_close(struct model *model);

/* The single shape of a model whose layers are all of one kind. */
struct model_shape {
    char name[64];
    int hidden, layers, heads, kv_heads, head_dim, intermediate, vocab;
    bool tied;
    double rope_theta;
    char mask[24]; /* as in struct layer_kind */
};

/* model_open() for what measures one kind of layer, with V as wide as K; warns of the notes.
 * ST_USAGE (logged) for a model that has several kinds. */
enum status model_load(const char *name_or_path, const char *data_dir, struct model_shape *out);

/* Names of the models in data_dir/models, sorted, separated by ", ", into buf[size] (cut where it
 * does not fit; empty when there are none). */
void model_names(const char *data_dir, char *buf, size_t size);

#endif
