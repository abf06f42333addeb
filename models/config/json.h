/* JSON as Python writes it. */
#ifndef SPB_MODELS_CONFIG_JSON_H
#define SPB_MODELS_CONFIG_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "base/status.h"

/* Parses text[size]. What Python writes and JSON does not have (NaN, Infinity, -Infinity, whole
 * numbers beyond 64 bits, reals beyond a double) is read as a string of the same characters: of no
 * use as a number, and no obstacle to the rest. path is for messages. ST_USAGE (logged, with line)
 * for what is malformed, ST_ENV without memory. *out is released by json_decref(). */
enum status json_parse(const char *path, const char *text, size_t size, json_t **out);

/* The same of a regular file of at most 1 MiB; ST_USAGE (logged) for any other. */
enum status json_read(const char *path, json_t **out);

#endif
