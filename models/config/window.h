/* Whether a model has windows. */
#ifndef SPB_MODELS_CONFIG_WINDOW_H
#define SPB_MODELS_CONFIG_WINDOW_H

#include "models/config/config.h"

/* Whether there is a window for those layers that do not see all keys; what is no number counts as
 * one, so that who reads it refuses it. */
bool has_window(const struct model_config *config);

#endif
