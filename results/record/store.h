/* A run folder: records.jsonl (one record a line, appended as results come) and run.json; others
 * put further files there, such as topology.xml.
 *
 * A killed run keeps every finished record: each is one write(2) to a file opened with O_APPEND.
 * One process writes a folder at a time; a later run into the same folder appends to it. */
#ifndef SPB_RESULTS_RECORD_STORE_H
#define SPB_RESULTS_RECORD_STORE_H

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>
#include <time.h>

struct store;

/* Opens a run folder, creating it and its parents. If a killed run left an unfinished last line,
 * that line is cut off (with a warning) so that the next record is not glued to it. ST_USAGE when
 * dir is not a folder, ST_ENV when it cannot be created or written; both say why. */
enum status store_open(const char *dir, struct store **out);

/* Appends one record. ST_ENV when it cannot be written whole (disk full); no part of it stays. */
enum status store_append(struct store *store, const json_t *record);

/* Adds this run to run.json: {"schema": "spbench.run/1", "runs": [{"command": [...], "start": UTC
 * in ISO 8601, "fingerprint": {...}}]}. argv[argc] is the command line; fingerprint is borrowed and
 * may be NULL. A run.json that is not one is refused with ST_USAGE, not overwritten. */
enum status store_add_run(struct store *store, int argc, char *const argv[], time_t start,
                          const json_t *fingerprint);

/* NULL is allowed. */
void store_close(struct store *store);

#endif
