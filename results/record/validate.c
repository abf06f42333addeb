/* Records that are read back are untrusted input: they are held to the table of fields. */
#include "base/text/text.h"
#include "results/record/fields.h"
#include "results/record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[FIELD_TYPES] = {
    [FIELD_TEXT] = "text",
    [FIELD_BOOL] = "true or false",
    [FIELD_COUNT] = "a whole number that is not negative",
    [FIELD_REAL] = "a finite number that is not negative",
    [FIELD_UP_TO_1] = "a number of at most 1",
    [FIELD_REALS] = "an array",
    [FIELD_INTERVAL] = "an array of two numbers",
    [FIELD_TEXTS] = "an object",
    [FIELD_OBJECT] = "an object",
    [FIELD_ARRAY] = "an array",
};

/* Where a value stands, for messages: in what is up, by a key, or without one by an index. */
struct step {
    const struct step *up;
    const char *key;
    size_t index;
};

struct reading {
    const char *where;
    bool own; /* fields without a row are refused */
};

/* "links[2].curve[0].bytes"; returns its length. */
static size_t write_steps(const struct step *step, char *out, size_t size) {
    const size_t used = step->up ? write_steps(step->up, out, size) : 0;
    if (used >= size)
        return used;
    if (!step->key)
        return used + (size_t)snprintf(out + used, size - used, "[%zu]", step->index);
    return used + (size_t)snprintf(out + used, size - used, "%s%s", used ? "." : "", step->key);
}

static enum status refuse(const struct reading *reading, const struct step *step,
                          const char *wanted, const json_t *value) {
    char written[256], name[256];
    write_steps(step, written, sizeof written);
    text_copy(name, sizeof name, written); /* keys of a file are printed here */
    if (!value)
        return fail(ST_USAGE, "%s: field %s %s", reading->where, name, wanted);
    char *shown = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
    fail(ST_USAGE, "%s: field %s must be %s, not %.60s", reading->where, name, wanted,
         shown ? shown : "this");
    free(shown);
    return ST_USAGE;
}

static bool has_type(const json_t *value, enum field_type type) {
    const double number = json_number_value(value);
    switch (type) {
    case FIELD_TEXT:
        return json_is_string(value);
    case FIELD_BOOL:
        return json_is_boolean(value);
    case FIELD_COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case FIELD_REAL:
        return json_is_number(value) && isfinite(number) && number >= 0;
    case FIELD_UP_TO_1:
        return json_is_number(value) && isfinite(number) && number <= 1;
    case FIELD_INTERVAL:
        return json_array_size(value) == 2;
    case FIELD_TEXTS:
    case FIELD_OBJECT:
        return json_is_object(value);
    default:
        return json_is_array(value);
    }
}

static enum status check_section(const struct reading *reading, const struct step *up,
                                 enum section section, const json_t *object);

static enum status check_value(const struct reading *reading, const struct step *step,
                               enum field_type type, enum section opens, const json_t *value) {
    if (!has_type(value, type))
        return refuse(reading, step, type_names[type], value);
    struct step inside = {.up = step};
    enum status st = ST_OK;
    json_t *element;
    if (type == FIELD_OBJECT)
        return check_section(reading, step, opens, value);
    if (type == FIELD_TEXTS)
        json_object_foreach((json_t *)value, inside.key, element) {
            if (st == ST_OK)
                st = check_value(reading, &inside, FIELD_TEXT, opens, element);
        }
    type = type == FIELD_ARRAY ? FIELD_OBJECT : FIELD_REAL;
    for (; st == ST_OK && inside.index < json_array_size(value); inside.index++)
        st = check_value(reading, &inside, type, opens, json_array_get(value, inside.index));
    return st;
}

static enum status check_field(const struct reading *reading, const struct step *step,
                               const struct field *field, const json_t *value) {
    if (!value)
        return field->required ? refuse(reading, step, "is missing", NULL) : ST_OK;
    const char *text = json_string_value(value);
    if (field->constant && !(text && strcmp(text, field->constant) == 0))
        return refuse(reading, step, field->constant, value);
    return check_value(reading, step, field->type, field->opens, value);
}

static enum status check_section(const struct reading *reading, const struct step *up,
                                 enum section section, const json_t *object) {
    struct step step = {.up = up};
    enum status st = ST_OK;
    for (const struct field *f = record_fields; st == ST_OK && f->key; f++) {
        step.key = f->key;
        if (f->section == section)
            st = check_field(reading, &step, f, json_object_get(object, f->key));
    }
    json_t *value;
    if (reading->own)
        json_object_foreach((json_t *)object, step.key, value) {
            if (st == ST_OK && !field_find(section, step.key))
                st = refuse(reading, &step, "has no row in the table of fields", NULL);
        }
    return st;
}

static enum status validate(const json_t *record, const struct reading *reading) {
    if (!json_is_object(record))
        return fail(ST_USAGE, "%s: a record must be a JSON object", reading->where);
    return check_section(reading, NULL, IN_RECORD, record);
}

enum status record_validate(const json_t *record, const char *where) {
    return validate(record, &(struct reading){.where = where});
}

enum status record_validate_own(const json_t *record, const char *where) {
    return validate(record, &(struct reading){.where = where, .own = true});
}
