#include "models/config/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "models/config/families.h"
#include "models/config/json.h"

/* Objects that hold a text model inside that of a model of several kinds of input, or inside each
 * other; and those that hold what concerns attention. */
static const char *const text_names[] = {"text_config", "llm_config", "language_config",
                                         "thinker_config", "language_model_config"};
static const char *const attention_names[] = {"attn_config", "attn_cfg"};

/* A member that is not null; NULL also if object is none. */
static json_t *member(const json_t *object, const char *name) {
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

static json_t *object_of(const json_t *object, const char *const *names, size_t n,
                         const char **found) {
    for (size_t i = 0; i < n; i++) {
        json_t *value = member(object, names[i]);
        if (!json_is_object(value))
            continue;
        *found = names[i];
        return value;
    }
    return NULL;
}

static void find_text(struct model_config *c) {
    const size_t n = sizeof text_names / sizeof text_names[0];
    const char *name;
    c->text = c->root;
    for (json_t *inner = c->root; (inner = object_of(inner, text_names, n, &name)); c->text = inner)
        if (strlen(c->where) + strlen(name) + 2 < sizeof c->where)
            strcat(strcat(c->where, name), ".");
    c->attention = object_of(c->text, attention_names,
                             sizeof attention_names / sizeof attention_names[0], &name);
}

/* The inner model_type says more where both are there and known. */
static void find_family(struct model_config *c) {
    const char *inner = json_string_value(json_object_get(c->text, "model_type"));
    const char *outer = json_string_value(json_object_get(c->root, "model_type"));
    text_copy(c->type, sizeof c->type, inner ? inner : outer);
    c->outer = family_find(outer ? outer : "");
    c->family = family_find(inner ? inner : "");
    if (!c->family->types)
        c->family = c->outer;
}

/* Sizes are only assumed of an inner config: an outer one is written whole. */
static enum status assume(struct model_config *c) {
    const char *const texts[] = {c->family->assumed, c->text == c->root ? NULL : c->family->sizes};
    c->assumed = json_object();
    for (int i = 0; i < 2; i++) {
        json_t *fields = NULL;
        if (!texts[i])
            continue;
        const enum status st = json_parse(c->family->types, texts[i], strlen(texts[i]), &fields);
        if (st)
            return st;
        json_object_update(c->assumed, fields);
        json_decref(fields);
    }
    return c->assumed ? ST_OK : fail(ST_ENV, "out of memory to read %s", c->path);
}

static enum status refuse(const struct model_config *c) {
    const char *why = c->family->refused ? c->family->refused : c->outer->refused;
    if (why)
        return config_fail(c, "model_type", "is %s, which no kinds of layers describe: %s", c->type,
                           why);
    if (json_is_true(json_object_get(c->root, "is_encoder_decoder")) ||
        config_is(c, "is_encoder_decoder", true))
        return config_fail(c, "is_encoder_decoder",
                           "is true: attention between an encoder and a decoder, whose sequences "
                           "have lengths of their own, is no kind of layer here");
    return ST_OK;
}

enum status config_open(const char *path, struct model_notes *notes, struct model_config *out) {
    *out = (struct model_config){.path = path, .notes = notes};
    const enum status st = json_read(path, &out->root);
    if (st)
        return st;
    if (!json_is_object(out->root))
        return fail(ST_USAGE, "%s: a JSON object (a Hugging Face config.json) is expected", path);
    find_text(out);
    find_family(out);
    const enum status assumed = assume(out);
    return assumed ? assumed : refuse(out);
}

void config_close(struct model_config *config) {
    json_decref(config->root);
    json_decref(config->assumed);
}

/* "object.field" below object; *null says that a null is there. */
static json_t *at_path(json_t *object, const char *name, bool *null) {
    for (const char *dot; object && (dot = strchr(name, '.')); name = dot + 1) {
        char first[64];
        snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
        object = member(object, first);
    }
    json_t *value = json_object_get(object, name);
    *null |= json_is_null(value);
    return json_is_null(value) ? NULL : value;
}

static json_t *find(const struct model_config *c, const char *name, bool *null) {
    json_t *value = at_path(c->text, name, null);
    return value ? value : at_path(c->attention, name, null);
}

json_t *config_said(const struct model_config *config, const char *name) {
    bool null = false;
    return find(config, name, &null);
}

json_t *config_find(const struct model_config *config, const char *name) {
    bool null = false;
    json_t *value = find(config, name, &null);
    return value || null ? value : at_path(config->assumed, name, &null);
}

bool config_is(const struct model_config *config, const char *name, bool value) {
    const json_t *found = config_find(config, name);
    return value ? json_is_true(found) : json_is_false(found);
}

enum status config_fail(const struct model_config *config, const char *field, const char *fmt,
                        ...) {
    char text[512], clean[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text_copy(clean, sizeof clean, text);
    return fail(ST_USAGE, "%s: field '%s%s' %s", config->path, config->where, field, clean);
}

enum status config_missing(const struct model_config *config, enum field_id field) {
    return config_fail(config, model_fields[field].names[0],
                       "is missing; a whole number is expected");
}

enum status config_length(const struct model_config *config, const char *name, const json_t *list,
                          int layers) {
    const size_t n = json_array_size(list);
    int more = 0;
    const struct layer_view whole = {0};
    const enum status st = config_int(config, &whole, FIELD_MTP_LAYERS, &more);
    if (st || n == (size_t)layers || n == (size_t)layers + (size_t)more)
        return st;
    return config_fail(config, name, "has %zu entries for %d layers", n, layers);
}

/* Where values are looked for: in the file, then assumed. A null in the file is not assumed to be
 * anything else. */
static json_t *first_of(const struct model_config *c, const char *const *names, int n,
                        const char **name) {
    bool null = false, ignored = false;
    json_t *value = NULL;
    for (int i = 0; i < n && names[i] && !value; i++)
        if ((value = find(c, names[i], &null)))
            *name = names[i];
    for (int i = 0; i < n && names[i] && !value && !null; i++)
        if ((value = at_path(c->assumed, names[i], &ignored)))
            *name = names[i];
    return value;
}

json_t *config_value(const struct model_config *config, const struct layer_view *view,
                     enum field_id field, const char **name) {
    const struct model_field *f = &model_fields[field];
    const char *found = f->names[0];
    json_t *value = NULL;
    for (int i = 0; i < FIELD_NAMES && f->names[i] && !value; i++)
        if ((value = member(view->over, f->names[i])))
            found = f->names[i];
    if (!value && view->scope == SCOPE_WINDOW)
        value = first_of(config, f->window_names, FIELD_SCOPED, &found);
    if (!value && view->scope == SCOPE_FULL)
        value = first_of(config, f->full_names, FIELD_SCOPED, &found);
    if (!value)
        value = first_of(config, f->names, FIELD_NAMES, &found);
    if (name)
        *name = found;
    return value;
}

enum status config_int(const struct model_config *config, const struct layer_view *view,
                       enum field_id field, int *out) {
    const struct model_field *f = &model_fields[field];
    const char *name;
    const json_t *value = config_value(config, view, field, &name);
    if (json_is_array(value) && view->layers > 0) {
        const enum status st = config_length(config, name, value, view->layers);
        if (st)
            return st;
        value = json_array_get(value, (size_t)view->index);
        if (json_is_null(value))
            return ST_OK;
    }
    if (!value)
        return ST_OK;
    if (!json_is_integer(value))
        return config_fail(config, name, "is not a whole number");
    const json_int_t number = json_integer_value(value);
    if (number < f->min || number > f->max)
        return config_fail(config, name, "is %lld; %d to %d is expected", (long long)number, f->min,
                           f->max);
    *out = (int)number;
    return ST_OK;
}
