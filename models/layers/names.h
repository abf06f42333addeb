/* Names and letters that files have for what a layer does. */
#ifndef SPB_MODELS_LAYERS_NAMES_H
#define SPB_MODELS_LAYERS_NAMES_H

#include "models/layers/roles.h"

/* Names with one meaning, separated by spaces. */
struct layer_names {
    const char *words;
    enum layer_role role;
    bool branches; /* as in struct model_layer */
};

/* Each table ends with a row without words. */
extern const struct layer_names list_names[];     /* in lists, one a layer */
extern const struct layer_names hybrid_letters[]; /* in patterns of state spaces and attention */
extern const struct layer_names window_letters[]; /* in patterns of windows */
extern const struct layer_names family_letters[]; /* of struct model_family */

/* Sets what a layer does by the first length characters of name; a name that the table does not
 * have is ROLE_UNKNOWN. name is kept as the layer's. */
void layer_by_name(const struct layer_names *table, const char *name, size_t length,
                   struct model_layer *layer);

#endif
