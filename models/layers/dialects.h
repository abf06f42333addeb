/* The ways in which config.json files say which layers do what: a row each. */
#ifndef SPB_MODELS_LAYERS_DIALECTS_H
#define SPB_MODELS_LAYERS_DIALECTS_H

#include "models/layers/dialect.h"

/* In order of precedence: the first whose field is there says what the layers do. Each table ends
 * with a row without fields. */
extern const struct dialect layer_dialects[];

/* Tried where neither those nor the model's family says it. */
extern const struct dialect window_dialects[];

/* Each of these whose field is there changes some of the layers. */
extern const struct dialect overlay_dialects[];

#endif
