/* Dialects that list layers. Each function reads a field as its row says and sets layers[n]. */
#ifndef SPB_MODELS_LAYERS_LISTS_H
#define SPB_MODELS_LAYERS_LISTS_H

#include "models/layers/dialect.h"

/* A name for each layer. */
enum status dialect_names(const struct reading *r, struct model_layer *layers, int n);

/* Names in turn, whose attention has a window where the model has one. */
enum status dialect_cycle(const struct reading *r, struct model_layer *layers, int n);

/* Runs of layers. */
enum status dialect_runs(const struct reading *r, struct model_layer *layers, int n);

/* A letter for each layer, or letters in turn. */
enum status dialect_letters(const struct reading *r, struct model_layer *layers, int n);

/* 0 or 1 for each layer. */
enum status dialect_flags(const struct reading *r, struct model_layer *layers, int n);

/* Numbers of layers. */
enum status dialect_indices(const struct reading *r, struct model_layer *layers, int n);

/* An object for each layer. */
enum status dialect_blocks(const struct reading *r, struct model_layer *layers, int n);

/* A window or null for each layer, or those in turn. */
enum status dialect_windows(const struct reading *r, struct model_layer *layers, int n);

#endif
