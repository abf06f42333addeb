/* Dialects that change some layers of what others have set. Each function reads a field as its row
 * says and sets layers[n]. */
#ifndef SPB_MODELS_LAYERS_OVERLAYS_H
#define SPB_MODELS_LAYERS_OVERLAYS_H

#include "models/layers/dialect.h"

/* Numbers of layers. */
enum status overlay_indices(const struct reading *r, struct model_layer *layers, int n);

/* Attention that picks its keys, in all layers or in those with 1 in a list. */
enum status overlay_select(const struct reading *r, struct model_layer *layers, int n);

/* {"LAYER": {fields}} */
enum status overlay_objects(const struct reading *r, struct model_layer *layers, int n);

/* {fields} of layers with a window. */
enum status overlay_window(const struct reading *r, struct model_layer *layers, int n);

#endif
