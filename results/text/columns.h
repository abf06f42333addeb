/* What people see of a record: the columns that the table and md exporters share. */
#ifndef SPB_RESULTS_TEXT_COLUMNS_H
#define SPB_RESULTS_TEXT_COLUMNS_H

#include "results/record/fields.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CELL_ROOM = 160 };

/* The fields that have a column in tables of that kind, one after the other: previous is NULL at
 * first, and so is the result after the last. */
const struct field *columns_next(enum record_kind kind, const struct field *previous);

/* What stands in a record's cell of that column; "-" when absent. */
void columns_cell(const struct field *field, const json_t *record, char out[CELL_ROOM]);

/* The same of a field alone; object: what it stands in. */
void columns_field(const struct field *field, const json_t *object, char out[CELL_ROOM]);

/* Aligned left, as words are; numbers are aligned right. */
bool columns_left(const struct field *field);

/* Phases, longest first: "attention 12.3 ms 61%, alltoall_qkv ..."; false when there are none. */
bool columns_phases(const json_t *record, char *out, size_t room);

/* The links that a layer's exchanges use and the time that they predict: "sp network 0.120 GB/s, dp
 * shared-l3 14.0 GB/s (probe); exchanges alone 177 ms, predicted 173 ms"; false when none was
 * measured, or the record's columns show it. */
bool columns_links(const json_t *record, char *out, size_t room);

/* What a sweep varied and the columns of the record's kind do not show: "kv_heads 2, layout
 * zigzag", resolved values where the record has them, else as asked for; false when there is
 * nothing. swept: keys of the case, ending with NULL; NULL: none. */
bool columns_swept(const json_t *record, const char *const *swept, char *out, size_t room);

/* Writes a cell's text padded to width characters (UTF-8), control characters replaced. */
void columns_pad(FILE *out, const char *text, int width, bool left);

/* Writes a cell's text as Markdown inside a table: what would be markup is escaped. */
void columns_md(FILE *out, const char *text);

#endif
