/* What was understood of a model, for people and for programs. */
#ifndef SPB_MODELS_PRINT_H
#define SPB_MODELS_PRINT_H

#include <stdio.h>

#include "models/kinds/kinds.h"

/* A line of sizes and a table of kinds. */
void model_print(const struct model *model, FILE *out);

/* One JSON object; what a kind does not have and what the file does not say is absent. */
void model_print_json(const struct model *model, FILE *out);

#endif
