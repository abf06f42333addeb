#include "models/config/window.h"

static bool is_positive(const json_t *value) {
    return json_is_integer(value) && json_integer_value(value) > 0;
}

bool has_window(const struct model_config *config) {
    const struct layer_view whole = {0};
    const json_t *value = config_value(config, &whole, FIELD_WINDOW, NULL);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (is_positive(json_array_get(value, i)))
            return true;
    return value && !json_is_array(value) && (is_positive(value) || !json_is_integer(value));
}
