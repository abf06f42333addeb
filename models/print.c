#include "models/print.h"

#include <jansson.h>

static const char *const sort_names[] = {
    [LAYER_SOFTMAX] = "softmax",
    [LAYER_LINEAR] = "linear",
    [LAYER_NONE] = "none",
};

void model_print(const struct model *model, FILE *out) {
    fprintf(out, "model       %s%s%s%s\n", model->name, model->type[0] ? " (" : "", model->type,
            model->type[0] ? ")" : "");
    fprintf(out, "layers      %d\nhidden      %d\n", model->layers, model->hidden);
    if (model->vocab)
        fprintf(out, "vocab       %d\n", model->vocab);
    fprintf(out, "rope theta  %.15g\n\n", model->rope_theta);
    fprintf(out, "%6s  %-8s %6s %9s %9s %11s %7s  %s\n", "layers", "kind", "heads", "kv_heads",
            "head_dim", "v_head_dim", "rotary", "mask");
    for (int i = 0; i < model->n_kinds; i++) {
        const struct layer_kind *k = &model->kinds[i];
        fprintf(out, "%6d  %s", k->count, sort_names[k->sort]);
        if (k->sort == LAYER_SOFTMAX)
            fprintf(out, "  %6d %9d %9d %11d %7d  %s", k->heads, k->kv_heads, k->head_dim,
                    k->v_head_dim, k->rotary_dim, k->mask);
        fputc('\n', out);
    }
}

static json_t *kind_json(const struct layer_kind *k) {
    json_t *object = json_pack("{s:i, s:s}", "count", k->count, "kind", sort_names[k->sort]);
    if (k->sort != LAYER_SOFTMAX)
        return object;
    json_t *shape = json_pack("{s:i, s:i, s:i, s:i, s:s, s:i}", "heads", k->heads, "kv_heads",
                              k->kv_heads, "head_dim", k->head_dim, "v_head_dim", k->v_head_dim,
                              "mask", k->mask, "rotary_dim", k->rotary_dim);
    json_object_update(object, shape);
    json_decref(shape);
    return object;
}

void model_print_json(const struct model *model, FILE *out) {
    json_t *layers = json_array();
    for (int i = 0; i < model->n_kinds; i++)
        json_array_append_new(layers, kind_json(&model->kinds[i]));
    json_t *object = json_pack("{s:s, s:s, s:o, s:i}", "schema", "spbench.model/1", "name",
                               model->name, "layers", layers, "hidden", model->hidden);
    if (model->vocab)
        json_object_set_new(object, "vocab", json_integer(model->vocab));
    json_object_set_new(object, "num_layers", json_integer(model->layers));
    json_object_set_new(object, "rope_theta", json_real(model->rope_theta));
    json_t *notes = json_array();
    for (int i = 0; i < model->n_notes; i++)
        json_array_append_new(notes, json_string(model->notes[i]));
    json_object_set_new(object, "notes", notes);
    json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
    json_decref(object);
}
