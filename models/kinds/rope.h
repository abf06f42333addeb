/* What of Q and K is rotated by position, and how fast. */
#ifndef SPB_MODELS_KINDS_ROPE_H
#define SPB_MODELS_KINDS_ROPE_H

#include "models/config/config.h"
#include "models/kinds/kinds.h"
#include "models/layers/roles.h"

/* Names of fields, up to a NULL: the part of a head that is rotated, the base of the frequencies,
 * and lists that have 0 for layers that are not rotated. */
extern const char *const rope_part_names[], *const rope_theta_names[], *const rope_flag_names[];

/* The width of out->head_dim that is rotated, for layer i of n; out->rotary_dim on entry is what
 * latent attention sets apart for it, or 0. ST_USAGE (logged). */
enum status rotary_read(const struct model_config *config, const struct model_layer *layer, int i,
                        int n, struct layer_kind *out);

/* The base of the layer's rotary frequencies; 10000 if the file has none. ST_USAGE (logged). */
enum status theta_read(const struct model_config *config, const struct model_layer *layer, int i,
                       int n, double *out);

#endif
