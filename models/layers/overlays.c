#include "models/layers/overlays.h"

#include <stdlib.h>

enum status overlay_indices(const struct reading *r, struct model_layer *layers, int n) {
    const int first = r->row->first;
    for (size_t i = 0; i < json_array_size(r->value); i++) {
        const json_t *index = json_array_get(r->value, i);
        const json_int_t number = json_integer_value(index);
        if (!json_is_integer(index) || number < first || number >= n + first)
            return config_fail(r->config, r->field, "has an entry that is none of %d to %d", first,
                               n - 1 + first);
        layers[number - first].role = r->row->one;
    }
    return ST_OK;
}

enum status overlay_select(const struct reading *r, struct model_layer *layers, int n) {
    const bool some = json_is_array(r->value);
    const enum status st = some ? config_length(r->config, r->field, r->value, n) : ST_OK;
    for (int i = 0; i < n && !st; i++) {
        const bool selects = !some || json_integer_value(json_array_get(r->value, (size_t)i)) == 1;
        if (selects && layers[i].role == ROLE_FULL)
            layers[i].role = ROLE_SELECT;
    }
    return st;
}

enum status overlay_objects(const struct reading *r, struct model_layer *layers, int n) {
    const char *key;
    json_t *fields;
    json_object_foreach(r->value, key, fields) {
        char *end;
        const long number = strtol(key, &end, 10);
        if (end == key || *end || number < 0 || number >= n || !json_is_object(fields))
            return config_fail(r->config, r->field,
                               "has an entry '%.32s' that is no object for one of the layers 0 to "
                               "%d",
                               key, n - 1);
        layers[number].over = fields;
    }
    return ST_OK;
}

enum status overlay_window(const struct reading *r, struct model_layer *layers, int n) {
    for (int i = 0; i < n; i++)
        if (layers[i].role == ROLE_WINDOW && !layers[i].over)
            layers[i].over = r->value;
    return ST_OK;
}
