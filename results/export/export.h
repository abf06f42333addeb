/* Exporters: records to a stream, one by one as they come.
 *
 * Each exporter is a row of a table; `-o NAME` picks it. Text from records is escaped for the
 * format it goes into. */
#ifndef SPB_RESULTS_EXPORT_EXPORT_H
#define SPB_RESULTS_EXPORT_EXPORT_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where a stream stands. The caller owns it; out is borrowed. */
struct export_stream {
    FILE *out;
    const struct exporter *exporter;
    size_t count;    /* records written */
    bool failed;     /* something could not be written, which has been said */
    char table[256]; /* what the last record's table is of: a table begins anew when it changes */
    /* Keys of cases of which the run has several values, ending with NULL; borrowed. Set after
     * export_begin() by whoever knows them: tables name those that have no column. */
    const char *const *swept;
};

struct exporter {
    const char *name, *help;
    void (*begin)(struct export_stream *stream); /* NULL: nothing to write */
    void (*record)(struct export_stream *stream, const json_t *record);
    void (*end)(struct export_stream *stream); /* NULL: nothing to write */
    bool layers_only;                          /* of other records than layers it says nothing */
    bool markdown;
    bool sets_side_by_side; /* below the records methods are compared */
};

/* The rows, as export_NAME, in the order in which they are listed; those of layers only last. */
#define EXPORTERS(ROW)                                                                             \
    ROW(table)                                                                                     \
    ROW(md)                                                                                        \
    ROW(csv)                                                                                       \
    ROW(json)                                                                                      \
    ROW(jsonl)                                                                                     \
    ROW(errors)

#define EXPORTER_DECLARE(name) extern const struct exporter export_##name;
EXPORTERS(EXPORTER_DECLARE)
#undef EXPORTER_DECLARE

const struct exporter *const *export_list(size_t *n);

/* Starts a stream. ST_ENV when out fails. */
enum status export_begin(struct export_stream *stream, const struct exporter *exporter, FILE *out);

/* Writes one record and flushes, so that a reader sees it at once. ST_ENV when out fails. */
enum status export_record(struct export_stream *stream, const json_t *record);

/* Ends the stream; a json array is valid only then. Does not close out. */
enum status export_end(struct export_stream *stream);

#endif
