#include "models/layers/layers.h"

#include <string.h>

#include "models/config/families.h"
#include "models/config/window.h"
#include "models/layers/dialects.h"

static bool accepts(const struct dialect *row, const char *field, const json_t *value) {
    for (int i = 0; i < DIALECT_FIELDS && row->fields[i]; i++)
        if (strcmp(row->fields[i], field) == 0)
            return json_typeof(value) == row->type;
    return false;
}

/* A field that is there is of a type that one of the rows reads. */
static enum status check_type(const struct model_config *config, const struct dialect *rows,
                              const char *field, const json_t *value) {
    for (; rows->fields[0]; rows++)
        if (accepts(rows, field, value))
            return ST_OK;
    return config_fail(config, field, "is of another type than expected");
}

/* The first row of which a field is there: *out->row is NULL if there is none. */
static enum status find_reading(const struct model_config *config, const struct dialect *rows,
                                struct reading *out) {
    for (const struct dialect *row = rows; row->fields[0]; row++)
        for (int i = 0; i < DIALECT_FIELDS && row->fields[i]; i++) {
            json_t *value = config_find(config, row->fields[i]);
            if (!value)
                continue;
            *out = (struct reading){config, row, row->fields[i], value};
            if (json_typeof(value) == row->type)
                return ST_OK;
            const enum status st = check_type(config, rows, out->field, value);
            if (st)
                return st;
        }
    *out = (struct reading){NULL};
    return ST_OK;
}

enum status layers_count(const struct model_config *config, int *n) {
    const struct layer_view whole = {0};
    struct reading list = {0};
    *n = 0;
    enum status st = config_int(config, &whole, FIELD_LAYERS, n);
    if (st || *n) {
        if (config->family->flags & FAMILY_TWO_A_BLOCK && !config_said(config, "num_hidden_layers"))
            *n *= 2;
        return st;
    }
    st = find_reading(config, layer_dialects, &list);
    if (!st && list.row && list.row->whole)
        *n = json_is_string(list.value) ? (int)json_string_length(list.value)
                                        : (int)json_array_size(list.value);
    if (!st && (*n < 1 || *n > model_fields[FIELD_LAYERS].max))
        st = config_missing(config, FIELD_LAYERS);
    return st;
}

/* As the model's code has it; a window that the file does not give is none. */
static void read_family(const struct model_config *config, struct model_layer *layers, int n) {
    const char *letters = config->family->layers;
    const int length = (int)strlen(letters);
    const bool windows = has_window(config);
    for (int i = 0; i < n; i++) {
        layer_by_name(family_letters, letters + i % length, 1, &layers[i]);
        layers[i].name = NULL;
        if (layers[i].role == ROLE_WINDOW && !windows)
            layers[i].role = ROLE_FULL;
    }
}

/* use_sliding_window: false goes before what lists say of windows. */
static void close_windows(const struct model_config *config, struct model_layer *layers, int n) {
    bool closed = false;
    for (int i = 0; i < n && config_is(config, "use_sliding_window", false); i++)
        if (layers[i].role == ROLE_WINDOW) {
            layers[i].role = ROLE_FULL;
            closed = true;
        }
    if (closed)
        note_add(config->notes,
                 "field '%suse_sliding_window' is false, though layers with a window are listed: "
                 "they count as layers without",
                 config->where);
}

static enum status read_overlays(const struct model_config *config, struct model_layer *layers,
                                 int n) {
    enum status st = ST_OK;
    for (const struct dialect *row = overlay_dialects; row->fields[0] && !st; row++)
        for (int i = 0; i < DIALECT_FIELDS && row->fields[i] && !st; i++) {
            const struct reading r = {config, row, row->fields[i],
                                      config_find(config, row->fields[i])};
            if (!r.value)
                continue;
            st = json_typeof(r.value) == row->type
                     ? row->read(&r, layers, n)
                     : config_fail(config, r.field, "is of another type than expected");
        }
    return st;
}

enum status layers_read(const struct model_config *config, struct model_layer *layers, int n) {
    struct reading said = {0};
    enum status st = find_reading(config, layer_dialects, &said);
    if (!st && said.row)
        st = said.row->read(&said, layers, n);
    else if (!st && config->family->layers)
        read_family(config, layers, n);
    else if (!st) {
        st = find_reading(config, window_dialects, &said);
        if (!st && said.row)
            st = said.row->read(&said, layers, n);
    }
    if (st)
        return st;
    close_windows(config, layers, n);
    return read_overlays(config, layers, n);
}
