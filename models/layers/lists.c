#include "models/layers/lists.h"

#include "models/config/window.h"
#include "models/layers/overlays.h"
#include <stdint.h>

static enum status set_name(const struct reading *r, const json_t *name,
                            struct model_layer *layer) {
    if (!json_is_string(name))
        return config_fail(r->config, r->field, "has an entry that is not a name");
    layer_by_name(r->row->names, json_string_value(name), json_string_length(name), layer);
    return ST_OK;
}

enum status dialect_names(const struct reading *r, struct model_layer *layers, int n) {
    enum status st = config_length(r->config, r->field, r->value, n);
    for (int i = 0; i < n && !st; i++)
        st = set_name(r, json_array_get(r->value, (size_t)i), &layers[i]);
    return st;
}

enum status dialect_cycle(const struct reading *r, struct model_layer *layers, int n) {
    const size_t length = json_array_size(r->value);
    const bool windows = has_window(r->config);
    enum status st = length ? ST_OK : config_fail(r->config, r->field, "is empty");
    for (int i = 0; i < n && !st; i++) {
        st = set_name(r, json_array_get(r->value, (size_t)i % length), &layers[i]);
        if (layers[i].role == ROLE_FULL && windows)
            layers[i].role = ROLE_WINDOW;
    }
    return st;
}

/* A run: names in turn, so many times, from layer *at on. */
static enum status set_run(const struct reading *r, const json_t *run, struct model_layer *layers,
                           int n, int *at) {
    const json_t *names = json_array_get(run, 0), *times = json_array_get(run, 1);
    const size_t length = json_array_size(names);
    if (length == 0 || !json_is_integer(times))
        return config_fail(r->config, r->field, "has an entry that is not [[names], times]");
    for (json_int_t i = 0; i < json_integer_value(times); i++)
        for (size_t k = 0; k < length; k++) {
            if (*at == n)
                return config_fail(r->config, r->field, "has more than %d layers", n);
            const enum status st = set_name(r, json_array_get(names, k), &layers[(*at)++]);
            if (st)
                return st;
        }
    return ST_OK;
}

enum status dialect_runs(const struct reading *r, struct model_layer *layers, int n) {
    int at = 0;
    for (size_t i = 0; i < json_array_size(r->value); i++) {
        const enum status st = set_run(r, json_array_get(r->value, i), layers, n, &at);
        if (st)
            return st;
    }
    return at == n ? ST_OK : config_fail(r->config, r->field, "has %d layers of %d", at, n);
}

enum status dialect_letters(const struct reading *r, struct model_layer *layers, int n) {
    const char *letters = json_string_value(r->value);
    const int length = (int)json_string_length(r->value);
    if (length == 0 || (r->row->whole && length != n))
        return config_fail(r->config, r->field, "has %d letters for %d layers", length, n);
    for (int i = 0; i < n; i++)
        layer_by_name(r->row->names, letters + i % length, 1, &layers[i]);
    return ST_OK;
}

enum status dialect_flags(const struct reading *r, struct model_layer *layers, int n) {
    const enum status st = config_length(r->config, r->field, r->value, n);
    for (int i = 0; i < n && !st; i++) {
        const json_t *flag = json_array_get(r->value, (size_t)i);
        const json_int_t number = json_is_integer(flag) ? json_integer_value(flag) : -1;
        if (number != 0 && number != 1)
            return config_fail(r->config, r->field, "has an entry that is not 0 or 1");
        layers[i].role = number ? r->row->one : r->row->zero;
    }
    return st;
}

enum status dialect_indices(const struct reading *r, struct model_layer *layers, int n) {
    for (int i = 0; i < n; i++)
        layers[i].role = r->row->zero;
    return overlay_indices(r, layers, n);
}

/* {"attention": {...}, ...}, of which the inner object is the layer's own. */
static enum status set_block(const struct reading *r, const json_t *block,
                             struct model_layer *layer) {
    json_t *attention = json_object_get(block, "attention");
    if (!json_is_object(attention))
        return config_fail(r->config, r->field, "has an entry without an object 'attention'");
    const json_t *sparsify = json_object_get(attention, "sparsify");
    layer->over = attention;
    layer->role = ROLE_FULL;
    if (json_is_integer(json_object_get(attention, "window_length")))
        layer->role = ROLE_WINDOW;
    if (json_is_true(json_object_get(attention, "no_op")) ||
        json_is_true(json_object_get(attention, "replace_with_linear")))
        layer->role = ROLE_NONE;
    if (json_is_true(sparsify) || json_array_size(sparsify) > 0)
        layer->role = ROLE_SELECT;
    return ST_OK;
}

enum status dialect_blocks(const struct reading *r, struct model_layer *layers, int n) {
    enum status st = config_length(r->config, r->field, r->value, n);
    for (int i = 0; i < n && !st; i++)
        st = set_block(r, json_array_get(r->value, (size_t)i), &layers[i]);
    return st;
}

enum status dialect_windows(const struct reading *r, struct model_layer *layers, int n) {
    const size_t length = json_array_size(r->value);
    const enum status st =
        length > (size_t)n ? config_length(r->config, r->field, r->value, n) : ST_OK;
    for (int i = 0; i < n && length > 0 && !st; i++) {
        const json_t *window = json_array_get(r->value, (size_t)i % length);
        const json_int_t tokens = json_integer_value(window);
        if (!(json_is_null(window) || json_is_integer(window)) || tokens > INT32_MAX)
            return config_fail(r->config, r->field,
                               "has an entry that is neither null nor a number of tokens");
        layers[i].role = tokens > 0 ? ROLE_WINDOW : ROLE_FULL;
        layers[i].window = tokens > 0 ? (int)tokens : 0;
    }
    return st;
}
