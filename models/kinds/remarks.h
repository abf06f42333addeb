/* What kinds of layers do not tell of a model, as notes. */
#ifndef SPB_MODELS_KINDS_REMARKS_H
#define SPB_MODELS_KINDS_REMARKS_H

#include "models/config/config.h"
#include "models/layers/roles.h"

/* Layers that have more, less or something else than their kind says. */
void remark_layers(const struct model_config *config, const struct model_layer *layers, int n);

/* Layers that reuse the K and V of others, and are counted as if they had their own. */
void remark_shared(const struct model_config *config);

/* Fields of the text model that say something, seem to be about attention, and are none of those
 * that are read or known not to matter. */
void remark_unknown(const struct model_config *config);

#endif
