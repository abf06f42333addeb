/* What of Q and K is rotated by position, and how fast. */
#include <stdio.h>
#include <string.h>

#include "models/config/families.h"
#include "models/config/window.h"
#include "models/kinds/rope.h"

const char *const rope_part_names[] = {
    "partial_rotary_factor", "partial_rotary_factors", "rotary_pct",          "rope_pct",
    "rotary_percent",        "rope_percent",           "rotary_emb_fraction", NULL};

const char *const rope_theta_names[] = {
    "rope_theta",          "rotary_emb_base",    "rotary_base",      "rope_base",
    "rope_embedding_base", "rope_freq_constant", "layer_rope_theta", NULL};

const char *const rope_flag_names[] = {"no_rope_layers", "rope_layout", "use_rope_layers", NULL};

typedef json_t *(*finder)(const struct model_config *config, const char *name);

/* The object with the rotary parameters of a layer: some files have one for each kind of layer. */
static json_t *parameters_of(const struct model_config *c, const struct model_layer *layer,
                             finder find) {
    static const char *const kinds[] = {
        [ROLE_WINDOW] = "sliding_attention",
        [ROLE_CHUNK] = "chunked_attention",
        [ROLE_FULL] = "full_attention",
        [ROLE_SELECT] = "full_attention",
    };
    json_t *all = find(c, "rope_parameters");
    char name[64] = "";
    if (layer->name)
        snprintf(name, sizeof name, "%.*s", layer->name_length, layer->name);
    json_t *own = json_object_get(all, name);
    if (!own)
        own = json_object_get(all, kinds[layer->role]);
    return own ? own : all;
}

/* The value of the first of names: in rotary parameters, where it is names[0], or beside them; in
 * the file, else assumed. *name is the name it has. */
static json_t *value_of(const struct model_config *c, const struct model_layer *layer,
                        const char *const *names, const char **name) {
    const finder finders[] = {config_said, config_find};
    for (int k = 0; k < 2; k++) {
        *name = names[0];
        json_t *value = json_object_get(parameters_of(c, layer, finders[k]), names[0]);
        if (value && !json_is_null(value))
            return value;
        for (int i = 0; names[i]; i++) {
            *name = names[i];
            if ((value = finders[k](c, names[i])))
                return value;
        }
    }
    return NULL;
}

/* A number for a layer, or that of a list of one for each; *out stays as it is where there is
 * none. */
static enum status number_of(const struct model_config *c, const struct model_layer *layer, int i,
                             int n, const char *const *names, double *out) {
    const char *name;
    const json_t *value = value_of(c, layer, names, &name);
    if (json_is_array(value)) {
        const enum status st = config_length(c, name, value, n);
        if (st)
            return st;
        value = json_array_get(value, (size_t)i);
    }
    if (!value || json_is_null(value))
        return ST_OK;
    if (!json_is_number(value))
        return config_fail(c, name, "is not a number");
    *out = json_number_value(value);
    return ST_OK;
}

/* Whether the file or the model's code leaves all layers without rotation. */
static bool rotates_none(const struct model_config *c) {
    const char *type = json_string_value(config_find(c, "position_embedding_type"));
    if (type || config_is(c, "rope", true))
        return type && strncmp(type, "rope", 4) != 0 && strncmp(type, "rotary", 6) != 0;
    return c->family->flags & FAMILY_NO_ROPE || config_is(c, "alibi", true) ||
           config_is(c, "use_mem_rope", false) || config_is(c, "mla_use_nope", true);
}

/* Whether a list or an interval leaves this layer without. */
static enum status is_left_out(const struct model_config *c, int i, int n, bool *out) {
    *out = false;
    for (int k = 0; rope_flag_names[k]; k++) {
        const json_t *flags = config_find(c, rope_flag_names[k]);
        if (json_array_size(flags) == 0)
            continue;
        const json_t *flag = json_array_get(flags, (size_t)i);
        *out = json_is_false(flag) || (json_is_integer(flag) && json_integer_value(flag) == 0);
        return config_length(c, rope_flag_names[k], flags, n);
    }
    const json_int_t interval = json_integer_value(config_find(c, "no_rope_layer_interval"));
    *out = interval > 0 && (i + 1) % interval == 0;
    return ST_OK;
}

static enum status rotates(const struct model_config *c, const struct model_layer *layer, int i,
                           int n, bool *out) {
    bool left_out = false;
    const enum status st = is_left_out(c, i, n, &left_out);
    const bool elsewhere =
        c->family->flags & FAMILY_ROPE_IN_WINDOWS && has_window(c) && layer->role != ROLE_WINDOW;
    *out = !rotates_none(c) && !left_out && !elsewhere &&
           !json_is_null(parameters_of(c, layer, config_said));
    return st;
}

enum status rotary_read(const struct model_config *config, const struct model_layer *layer, int i,
                        int n, struct layer_kind *out) {
    const struct layer_view view = {.index = i, .layers = n};
    const int latent = out->rotary_dim;
    double part = 1, theta = 1;
    bool rotated = false;
    out->rotary_dim = 0;
    enum status st = rotates(config, layer, i, n, &rotated);
    if (st || !rotated)
        return st;
    st = number_of(config, layer, i, n, rope_part_names, &part);
    if (!st)
        st = number_of(config, layer, i, n, rope_theta_names, &theta);
    if (!st && !(part >= 0 && part <= 1))
        st = config_fail(config, rope_part_names[0], "is %g; 0 to 1 is expected", part);
    if (st || theta == 0) /* which lists have for a layer that is not rotated */
        return st;
    int dim = latent ? latent : (int)(out->head_dim * part);
    if (!latent)
        st = config_int(config, &view, FIELD_ROTARY_DIM, &dim);
    out->rotary_dim = dim < out->head_dim ? dim : out->head_dim;
    return st;
}

enum status theta_read(const struct model_config *config, const struct model_layer *layer, int i,
                       int n, double *out) {
    const char *name;
    const json_t *value = value_of(config, layer, rope_theta_names, &name);
    double theta = 10000;
    *out = theta;
    const enum status st = number_of(config, layer, i, n, rope_theta_names, &theta);
    if (st || (theta == 0 && json_is_array(value))) /* of a layer that is not rotated */
        return st;
    if (!(theta > 1 && theta <= 1e15))
        return config_fail(config, rope_theta_names[0],
                           "is %g; a number above 1 (10000 is usual) is expected", theta);
    *out = theta;
    return ST_OK;
}
