/* RFC 4180 with a fixed set of columns, so that the header does not depend on the records: lines of
 * any two runs can be concatenated. What a record lacks is empty. Phases and raw samples have no
 * fixed columns: json and jsonl carry them. */
#include "results/text/csv.h"
#include "results/export/export.h"
#include "results/record/fields.h"

#include <stdlib.h>
#include <string.h>

struct csv_column {
    const struct field *field, *opener; /* opener: of the object that it is in */
    int part;                           /* of an interval */
    const json_t *value;                /* NULL: absent */
};

struct csv_line {
    struct csv_column *columns; /* NULL: they are only counted */
    int n;
};

static void enter(struct csv_line *line, int number, struct csv_column column) {
    line->n = number > line->n ? number : line->n;
    if (line->columns)
        line->columns[number - 1] = column;
}

/* Enters the columns of what opener opens (NULL: a record). before: the number that theirs are
 * counted from. object: the values; NULL: none. */
static void enter_section(struct csv_line *line, const struct field *opener, int before,
                          const json_t *object) {
    for (const struct field *f = record_fields; f->key; f++) {
        const json_t *value = json_object_get(object, f->key);
        const int number = before + f->csv;
        if (f->section != (opener ? opener->opens : IN_RECORD) || f->type == FIELD_ARRAY)
            continue;
        if (f->opens)
            enter_section(line, f, number, value);
        else if (f->type == FIELD_INTERVAL)
            for (int i = 0; i < 2; i++)
                enter(line, number + i,
                      (struct csv_column){f, opener, i, json_array_get(value, (size_t)i)});
        else if (f->csv > 0)
            enter(line, number, (struct csv_column){f, opener, 0, value});
    }
}

static void write_name(FILE *out, const struct csv_column *column) {
    if (!column->field) /* no row has its number */
        return;
    field_path(out, column->field, column->opener);
    if (column->field->type == FIELD_INTERVAL)
        fprintf(out, ".%d", column->part);
}

static void write_value(FILE *out, const json_t *value) {
    if (json_is_string(value))
        csv_text(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

/* A record's values, or without one the names of the columns. */
static void write_line(struct export_stream *stream, const json_t *record) {
    struct csv_line line = {0};
    enter_section(&line, NULL, 0, NULL);
    line.columns = calloc((size_t)line.n, sizeof *line.columns);
    if (!line.columns) {
        fail(ST_ENV, "out of memory for a line of csv");
        stream->failed = true;
        return;
    }
    enter_section(&line, NULL, 0, record);
    for (int i = 0; i < line.n; i++) {
        fputs(i ? "," : "", stream->out);
        if (record)
            write_value(stream->out, line.columns[i].value);
        else
            write_name(stream->out, &line.columns[i]);
    }
    fputs("\r\n", stream->out);
    free(line.columns);
}

static void begin(struct export_stream *stream) {
    write_line(stream, NULL);
}

const struct exporter export_csv = {
    .name = "csv",
    .help = "comma-separated values (RFC 4180), fixed columns, one record a row",
    .begin = begin,
    .record = write_line,
};
