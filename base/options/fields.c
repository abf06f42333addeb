/* Values of options in the struct that a program reads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/options/values.h"

static void store_whole(void *field, size_t size, int64_t value) {
    if (size == sizeof(uint8_t))
        *(uint8_t *)field = (uint8_t)value;
    else if (size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(int64_t *)field = value;
}

/* No option is negative. */
static int64_t load_whole(const void *field, size_t size) {
    if (size == sizeof(uint8_t))
        return *(const uint8_t *)field;
    return size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const int64_t *)field;
}

void option_store(const struct option *o, const union option_value *v, size_t n, void *fields) {
    void *field = (char *)fields + o->offset;
    if (o->size == sizeof(struct option_list))
        *(struct option_list *)field = (struct option_list){n, v};
    else if (n == 0)
        memset(field, 0, o->size);
    else if (o->type == OPT_REAL || o->type == OPT_DURATION)
        *(double *)field = v->real;
    else if (o->type == OPT_STRING)
        memcpy(field, &v->s, o->size);
    else if (o->type == OPT_CHOICE && o->size == sizeof v->choice.row)
        memcpy(field, &v->choice.row, o->size);
    else
        store_whole(field, o->size, o->type == OPT_CHOICE ? v->choice.number : v->i);
}

/* The choice that stands for what the field holds; without a name where none does. */
static struct option_choice load_choice(const struct option *o, const void *field) {
    const bool is_row = o->size == sizeof(void *);
    const void *row = NULL;
    struct option_choice c;
    if (is_row)
        memcpy(&row, field, sizeof row);
    const int64_t number = is_row ? 0 : load_whole(field, o->size);
    for (size_t i = 0; (c = option_choice(o, i)).name; i++)
        if (is_row ? c.row == row : c.number == number)
            break;
    return c;
}

union option_value option_load(const struct option *o, const void *fields) {
    const void *field = (const char *)fields + o->offset;
    union option_value value;
    if (o->size == sizeof(struct option_list))
        return ((const struct option_list *)field)->v[0];
    if (o->type == OPT_REAL || o->type == OPT_DURATION)
        value.real = *(const double *)field;
    else if (o->type == OPT_STRING)
        memcpy(&value.s, field, o->size);
    else if (o->type == OPT_CHOICE)
        value.choice = load_choice(o, field);
    else
        value.i = load_whole(field, o->size);
    return value;
}

const char *option_text(const struct option *o, const void *fields, char buf[32]) {
    const union option_value value = option_load(o, fields);
    if (o->type == OPT_STRING || o->type == OPT_CHOICE) {
        const char *text = o->type == OPT_STRING ? value.s : value.choice.name;
        return text ? text : "";
    }
    if (o->type == OPT_REAL || o->type == OPT_DURATION)
        snprintf(buf, 32, "%.15g", value.real);
    else if (o->automatic && value.i == 0)
        snprintf(buf, 32, "auto");
    else
        snprintf(buf, 32, "%" PRId64, value.i);
    return buf;
}
