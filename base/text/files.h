/* Files that a user names: they may be no files, and what is in them is untrusted. */
#ifndef SPB_BASE_TEXT_FILES_H
#define SPB_BASE_TEXT_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Opens a regular file to read; what is it to the user ("topology file"). ST_USAGE for what is
 * missing, and for a FIFO, a device or a folder, which is refused instead of waited for. */
enum status file_open_regular(const char *path, const char *what, FILE **file);

/* The content of a regular file of at most `most` bytes, which the caller frees: *n bytes, and a
 * NUL behind them. ST_USAGE for a larger one, ST_ENV when memory is short. */
enum status file_read(const char *path, const char *what, size_t most, char **text, size_t *n);

#endif
