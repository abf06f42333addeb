/* From a config.json to kinds of layers. */
#ifndef SPB_MODELS_KINDS_READ_H
#define SPB_MODELS_KINDS_READ_H

#include "base/status.h"
#include "models/kinds/kinds.h"

/* Fills in all of *out but its name, as model_open() says; *out is closed in any case. */
enum status model_read(const char *path, struct model *out);

#endif
