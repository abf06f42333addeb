/* The fields of a record: one table, from which come what the reader accepts and the writer may
 * write, the columns of csv, table and md, docs/record.md and docs/record.schema.json.
 *
 * A new metric is a row of it, and the line that measures it. */
#ifndef SPB_RESULTS_RECORD_FIELDS_H
#define SPB_RESULTS_RECORD_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum field_type {
    FIELD_TEXT,
    FIELD_BOOL,
    FIELD_COUNT,    /* a whole number, not negative */
    FIELD_REAL,     /* finite, not negative */
    FIELD_UP_TO_1,  /* finite, 1 at most */
    FIELD_REALS,    /* an array of FIELD_REAL */
    FIELD_INTERVAL, /* [low, high] */
    FIELD_TEXTS,    /* an object of texts, of any names */
    FIELD_OBJECT,   /* of the section that it opens */
    FIELD_ARRAY,    /* of such objects */
    FIELD_TYPES
};

/* What a field stands in: the record, or an object inside it. */
enum section {
    IN_RECORD,
    IN_PARAMS,
    IN_SHARES,
    IN_METRICS,
    IN_TIME,
    IN_MEMORY,
    IN_PEAK,
    IN_PHASES,
    IN_CHECK,
    IN_TENSORS,
    IN_ERRORS,
    IN_INTERCONNECT,
    IN_PAIRS,
    IN_RATES,
    IN_LINKS,
    IN_CURVE,
    IN_FINGERPRINT,
    SECTIONS
};

/* Tables differ by the record's "kind". */
enum record_kind { KIND_COMM, KIND_ATTN, KIND_OTHER, RECORD_KINDS };

struct field {
    enum section section;
    const char *key;
    enum field_type type;
    const char *unit;   /* "" without one; tables format by it */
    enum section opens; /* what is in an object, or in each one of an array */
    /* Number of its csv column, from 1; 0: none. A new one takes the next free number, so that
     * those before keep their places. In objects that have a number it is counted from theirs,
     * which is that of the column before them. An interval takes two. */
    int csv;
    const char *help;
    bool required;        /* wherever its section is */
    bool problem;         /* see problem_param() */
    const char *constant; /* the only text that it may be; NULL: any */
    struct {
        const char *title; /* NULL: no column in tables of that kind */
        int width;         /* in characters; a longer cell pushes the rest */
    } columns[RECORD_KINDS];
};

/* Ends with a row without a key. Rows of a section stand together, and columns of tables in the
 * order of their rows. */
extern const struct field record_fields[];

/* NULL when there is none. */
const struct field *field_find(enum section section, const char *key);

/* The objects or arrays that open a section, one after the other; previous is NULL at first, and
 * so is the result after the last. */
const struct field *field_opener(enum section section, const struct field *previous);

/* Writes "metrics.time_s.median" or "links[].curve[].bytes". opener: of the object that the field
 * is in; NULL: it is the record. */
void field_path(FILE *out, const struct field *field, const struct field *opener);

/* Its value in a record; where several objects have such a field, in the first. NULL: absent. */
const json_t *field_value(const struct field *field, const json_t *record);

/* The i-th param of those that are equal where layers solve the same problem, but for its sequence
 * length; NULL past the last. */
const char *problem_param(size_t i);

enum record_kind record_kind_of(const json_t *record);

#endif
