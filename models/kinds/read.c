#include "models/kinds/read.h"

#include <stdlib.h>
#include <string.h>

#include "models/config/families.h"
#include "models/kinds/remarks.h"
#include "models/kinds/rope.h"
#include "models/kinds/shape.h"
#include "models/layers/layers.h"

/* What is not of attention: absent, or not one number for all layers, it is left out. */
static enum status read_rest(const struct model_config *c, struct model *out) {
    const struct layer_view whole = {0};
    const json_t *tied = json_object_get(c->text, "tie_word_embeddings");
    if (!tied)
        tied = json_object_get(c->root, "tie_word_embeddings");
    if (tied && !json_is_null(tied) && !json_is_boolean(tied))
        return config_fail(c, "tie_word_embeddings", "is not true or false");
    out->tied = json_is_true(tied);
    strcpy(out->type, c->type);
    if (json_is_integer(config_find(c, model_fields[FIELD_INTERMEDIATE].names[0])))
        return config_int(c, &whole, FIELD_INTERMEDIATE, &out->intermediate);
    return ST_OK;
}

static bool alike(const struct layer_kind *a, const struct layer_kind *b) {
    return a->sort == b->sort && a->heads == b->heads && a->kv_heads == b->kv_heads &&
           a->head_dim == b->head_dim && a->v_head_dim == b->v_head_dim &&
           a->rotary_dim == b->rotary_dim && strcmp(a->mask, b->mask) == 0;
}

/* Counts a layer among the kinds. */
static enum status add_kind(struct model *model, const struct layer_kind *kind) {
    for (int i = 0; i < model->n_kinds; i++)
        if (alike(&model->kinds[i], kind)) {
            model->kinds[i].count++;
            return ST_OK;
        }
    struct layer_kind *grown = realloc(model->kinds, ((size_t)model->n_kinds + 1) * sizeof *grown);
    if (!grown)
        return fail(ST_ENV, "out of memory for the layers of a model");
    model->kinds = grown;
    model->kinds[model->n_kinds++] = *kind;
    return ST_OK;
}

static enum status add_layers(const struct model_config *c, const struct model_layer *layers,
                              struct model *out) {
    for (int i = 0; i < out->layers; i++) {
        struct layer_kind kind;
        enum status st = shape_read(c, &layers[i], i, out->layers, out->hidden, &kind);
        if (!st && kind.sort == LAYER_SOFTMAX)
            st = rotary_read(c, &layers[i], i, out->layers, &kind);
        if (!st)
            st = add_kind(out, &kind);
        if (st)
            return st;
    }
    return ST_OK;
}

/* That of the first layer that sees all keys, else of the first with softmax attention. */
static enum status read_theta(const struct model_config *c, const struct model_layer *layers,
                              struct model *out) {
    int main = -1;
    for (int i = 0; i < out->layers; i++) {
        const bool full = layers[i].role == ROLE_FULL || layers[i].role == ROLE_SELECT,
                   masked = layers[i].role == ROLE_WINDOW || layers[i].role == ROLE_CHUNK;
        if (full || (masked && main < 0))
            main = i;
        if (full)
            break;
    }
    return main < 0 ? ST_OK : theta_read(c, &layers[main], main, out->layers, &out->rope_theta);
}

static bool any_softmax(const struct model *model) {
    for (int i = 0; i < model->n_kinds; i++)
        if (model->kinds[i].sort == LAYER_SOFTMAX)
            return true;
    return false;
}

static enum status read_layers(const struct model_config *c, struct model *out) {
    struct model_layer *layers = calloc((size_t)out->layers, sizeof *layers);
    if (!layers)
        return fail(ST_ENV, "out of memory for the layers of a model");
    enum status st = layers_read(c, layers, out->layers);
    if (!st)
        st = add_layers(c, layers, out);
    if (!st)
        st = read_theta(c, layers, out);
    if (!st)
        remark_layers(c, layers, out->layers);
    for (int i = 0; i < out->layers && !st && !any_softmax(out); i++)
        if (layers[i].role == ROLE_UNKNOWN)
            st = fail(ST_USAGE, "%s: no layer has a type that is understood, as layer %d of %d",
                      c->path, i, out->layers);
    free(layers);
    return st;
}

static enum status read_config(const struct model_config *c, struct model *out) {
    const struct layer_view whole = {0};
    out->rope_theta = 10000;
    enum status st = config_int(c, &whole, FIELD_HIDDEN, &out->hidden);
    if (!st && !out->hidden)
        st = config_missing(c, FIELD_HIDDEN);
    if (!st)
        st = layers_count(c, &out->layers);
    if (!st)
        st = config_int(c, &whole, FIELD_VOCAB, &out->vocab);
    if (!st)
        st = read_rest(c, out);
    if (!st)
        st = read_layers(c, out);
    if (st)
        return st;
    remark_shared(c);
    remark_unknown(c);
    return ST_OK;
}

enum status model_read(const char *path, struct model *out) {
    struct model_notes notes = {0};
    struct model_config config;
    enum status st = config_open(path, &notes, &config);
    if (!st)
        st = read_config(&config, out);
    config_close(&config);
    out->notes = notes.lines;
    out->n_notes = notes.n;
    return st;
}
