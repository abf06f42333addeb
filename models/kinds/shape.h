/* What a layer's attention looks like. */
#ifndef SPB_MODELS_KINDS_SHAPE_H
#define SPB_MODELS_KINDS_SHAPE_H

#include "models/config/config.h"
#include "models/kinds/kinds.h"
#include "models/layers/roles.h"

/* Sizes and mask of layer i of n, as one kind with a count of 1; all but its rotary_dim. hidden is
 * the width of the residual stream. ST_USAGE (logged) for what is missing, out of bounds, does not
 * divide, or is masked in a way that struct layer_kind cannot say. */
enum status shape_read(const struct model_config *config, const struct model_layer *layer, int i,
                       int n, int hidden, struct layer_kind *out);

#endif
