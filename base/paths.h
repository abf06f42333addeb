/* Where the program and its data (models/, plots/) lie. */
#ifndef SPB_BASE_PATHS_H
#define SPB_BASE_PATHS_H

#include <stddef.h>

#include "base/status.h"

/* Absolute path of the running executable into buf[size]; ST_ENV (logged) if it is unknown or
 * does not fit. */
enum status path_self(char *buf, size_t size);

/* The directory that holds models/ and plots/: $SPBENCH_DATA_DIR, else the installed one relative
 * to the executable, else the source tree. ST_ENV (logged) if none has a models/ folder. */
enum status path_data_dir(char *buf, size_t size);

#endif
