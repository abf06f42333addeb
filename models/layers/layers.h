/* Which layer of a model does what. */
#ifndef SPB_MODELS_LAYERS_LAYERS_H
#define SPB_MODELS_LAYERS_LAYERS_H

#include "models/config/config.h"
#include "models/layers/roles.h"

/* Number of layers, as the file says it or as a list of them is long; ST_USAGE (logged). */
enum status layers_count(const struct model_config *config, int *n);

/* Sets layers[n], zeroed on entry. ST_USAGE (logged) for what contradicts itself. */
enum status layers_read(const struct model_config *config, struct model_layer *layers, int n);

#endif
