#include "models/layers/rules.h"

#include <stdint.h>

#include "models/config/families.h"
#include "models/config/window.h"
#include "models/layers/lists.h"
#include "models/layers/overlays.h"

/* A period of layers: *out >= 1. */
static enum status period_of(const struct reading *r, int *out) {
    const json_int_t period = json_integer_value(r->value);
    if (period < 1 || period > INT32_MAX)
        return config_fail(r->config, r->field, "is %lld; a number of layers is expected",
                           (long long)period);
    *out = (int)period;
    return ST_OK;
}

enum status dialect_period(const struct reading *r, struct model_layer *layers, int n) {
    int period = 0;
    if (r->row->zero == ROLE_WINDOW && !has_window(r->config))
        return ST_OK;
    const enum status st = period_of(r, &period);
    for (int i = 0; i < n && !st; i++)
        layers[i].role = (i + 1) % period ? r->row->zero : r->row->one;
    return st;
}

enum status dialect_groups(const struct reading *r, struct model_layer *layers, int n) {
    int group = 0;
    const enum status st = period_of(r, &group);
    for (int i = 0; i < n && !st; i++) {
        const bool last = (i + 1) % group == 0, behind = i >= n / group * group;
        layers[i].role = last || behind ? r->row->one : r->row->zero;
    }
    return st;
}

enum status dialect_offset(const struct reading *r, struct model_layer *layers, int n) {
    const char *offset_field = r->row->also[0];
    const json_t *given = config_find(r->config, offset_field);
    const json_int_t offset = json_integer_value(given);
    int period = 0;
    enum status st = period_of(r, &period);
    if (!st && (!json_is_integer(given) || offset < 0 || offset >= period))
        st = config_fail(r->config, offset_field, "is none of 0 to %d", period - 1);
    for (int i = 0; i < n && !st; i++)
        layers[i].role = i % period == offset ? r->row->one : r->row->zero;
    return st;
}

enum status dialect_middle(const struct reading *r, struct model_layer *layers, int n) {
    static const struct dialect unmasked = {.one = ROLE_FULL};
    struct reading full = {.config = r->config, .row = &unmasked, .field = r->row->also[0]};
    int step = 0;
    const enum status st = period_of(r, &step);
    for (int i = 0; i < n && !st; i++) {
        const bool attention = n <= step / 2 ? i == n - 1 : i % step == step / 2;
        layers[i].role = attention ? r->row->one : r->row->zero;
    }
    full.value = config_find(r->config, full.field);
    return st ? st : overlay_indices(&full, layers, n);
}

enum status dialect_halves(const struct reading *r, struct model_layer *layers, int n) {
    int step = 0;
    enum status st = period_of(r, &step);
    if (!st && step != 2)
        st = config_fail(r->config, r->field, "is %d; 2 is expected", step);
    for (int i = 0; i < n && !st; i++)
        layers[i].role = i % 2 == 0 ? ROLE_LINEAR : i < n / 2 ? ROLE_WINDOW : ROLE_FULL;
    return st;
}

enum status dialect_chunks(const struct reading *r, struct model_layer *layers, int n) {
    static const struct dialect by_flag = {.zero = ROLE_FULL, .one = ROLE_CHUNK};
    static const struct dialect by_period = {.zero = ROLE_CHUNK, .one = ROLE_FULL};
    const struct reading flags = {r->config, &by_flag, r->row->also[0],
                                  config_find(r->config, r->row->also[0])};
    const struct reading period = {r->config, &by_period, r->row->also[1],
                                   config_find(r->config, r->row->also[1])};
    if (json_array_size(flags.value) > 0)
        return dialect_flags(&flags, layers, n);
    if (period.value)
        return dialect_period(&period, layers, n);
    for (int i = 0; i < n; i++)
        layers[i].role = ROLE_CHUNK;
    return ST_OK;
}

enum status dialect_window(const struct reading *r, struct model_layer *layers, int n) {
    const unsigned flags = r->config->family->flags;
    const bool even = flags & FAMILY_WINDOWS_EVEN, all = flags & FAMILY_WINDOWS_ALL;
    const struct layer_view whole = {0};
    int from = even ? n : 0;
    if (!has_window(r->config) || config_is(r->config, "use_sliding_window", false))
        return ST_OK;
    const enum status st = all ? ST_OK : config_int(r->config, &whole, FIELD_WINDOW_FROM, &from);
    for (int i = 0; i < n && !st; i++)
        if (even ? i % 2 == 0 && i < from : i >= from)
            layers[i].role = ROLE_WINDOW;
    return st;
}
