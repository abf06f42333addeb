/* Dialects that say by a rule which layers do what. Each function reads a field as its row says and
 * sets layers[n]. */
#ifndef SPB_MODELS_LAYERS_RULES_H
#define SPB_MODELS_LAYERS_RULES_H

#include "models/layers/dialect.h"

/* The last of each so many layers. A pattern of windows means nothing in a model without. */
enum status dialect_period(const struct reading *r, struct model_layer *layers, int n);

/* The same, and what is behind the last whole group. */
enum status dialect_groups(const struct reading *r, struct model_layer *layers, int n);

/* One of each so many layers, at an offset. */
enum status dialect_offset(const struct reading *r, struct model_layer *layers, int n);

/* One of each so many layers, in their middle, some of which have no window. */
enum status dialect_middle(const struct reading *r, struct model_layer *layers, int n);

/* State spaces in turn with windows, and from the middle on with attention to one layer's K and V.
 */
enum status dialect_halves(const struct reading *r, struct model_layer *layers, int n);

/* Chunks, but for layers that are not rotated, which a list or a period tells. */
enum status dialect_chunks(const struct reading *r, struct model_layer *layers, int n);

/* A window of all layers, or of those that the family's rule says. */
enum status dialect_window(const struct reading *r, struct model_layer *layers, int n);

#endif
