/* What the table of fields says, for people and for other programs. */
#ifndef SPB_RESULTS_RECORD_DESCRIBE_H
#define SPB_RESULTS_RECORD_DESCRIBE_H

#include "base/status.h"

#include <stdio.h>

/* docs/record.md: every field by section, in Markdown. */
enum status describe_markdown(FILE *out);

/* docs/record.schema.json: a JSON Schema (draft 2020-12) of one record. It refuses no more than the
 * reader does; the reader also refuses whole numbers that are written as 2.0 or exceed 64 bits.
 * ST_ENV when out of memory. */
enum status describe_schema(FILE *out);

#endif
