#include "results/record/describe.h"

#include "results/record/fields.h"
#include "results/record/record.h"

#include <string.h>

/* A type in words, and as JSON Schema. */
#define SCHEMA_REAL "{\"type\": \"number\", \"minimum\": 0}"
static const struct {
    const char *words, *schema;
} types[FIELD_TYPES] = {
    [FIELD_TEXT] = {"text", "{\"type\": \"string\"}"},
    [FIELD_BOOL] = {"bool", "{\"type\": \"boolean\"}"},
    [FIELD_COUNT] = {"count", "{\"type\": \"integer\", \"minimum\": 0}"},
    [FIELD_REAL] = {"real >= 0", SCHEMA_REAL},
    [FIELD_UP_TO_1] = {"real <= 1", "{\"type\": \"number\", \"maximum\": 1}"},
    [FIELD_REALS] = {"reals >= 0", "{\"type\": \"array\", \"items\": " SCHEMA_REAL "}"},
    [FIELD_INTERVAL] = {"[low, high]", "{\"type\": \"array\", \"items\": " SCHEMA_REAL
                                       ", \"minItems\": 2, \"maxItems\": 2}"},
    [FIELD_TEXTS] = {"object of texts",
                     "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}"},
    [FIELD_OBJECT] = {"object", "{\"type\": \"object\"}"},
    [FIELD_ARRAY] = {"objects", "{\"type\": \"array\"}"},
};

static json_t *object_schema(enum section section);

/* NULL without memory, as below. */
static json_t *field_schema(const struct field *f) {
    json_t *schema = json_loads(types[f->type].schema, 0, NULL);
    const char *unit = *f->unit ? "; " : "";
    int failed =
        json_object_set_new(schema, "description", json_sprintf("%s%s%s", f->help, unit, f->unit));
    if (f->constant)
        failed |= json_object_set_new(schema, "const", json_string(f->constant));
    if (f->type == FIELD_ARRAY)
        failed |= json_object_set_new(schema, "items", object_schema(f->opens));
    json_t *inside = f->type == FIELD_OBJECT ? object_schema(f->opens) : NULL;
    if (f->type == FIELD_OBJECT)
        failed |= json_object_update(schema, inside);
    json_decref(inside);
    if (!failed)
        return schema;
    json_decref(schema);
    return NULL;
}

static json_t *object_schema(enum section section) {
    json_t *properties = json_object(), *required = json_array();
    int failed = 0;
    for (const struct field *f = record_fields; f->key; f++) {
        if (f->section != section)
            continue;
        failed |= json_object_set_new(properties, f->key, field_schema(f));
        if (f->required)
            failed |= json_array_append_new(required, json_string(f->key));
    }
    json_t *schema = json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties,
                               "required", required);
    if (!failed)
        return schema;
    json_decref(schema);
    return NULL;
}

enum status describe_schema(FILE *out) {
    json_t *schema =
        json_pack("{s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                  "title", RECORD_SCHEMA, "description",
                  "One line of an spbench run's records.jsonl; fields beyond these are allowed.");
    json_t *record = object_schema(IN_RECORD);
    const int failed = json_object_update(schema, record);
    if (!failed) {
        json_dumpf(schema, out, JSON_INDENT(2));
        fputc('\n', out);
    }
    json_decref(record);
    json_decref(schema);
    return failed ? fail(ST_ENV, "out of memory for a schema") : ST_OK;
}

/* "## `check.tensors.*`, ..." */
static void heading(FILE *out, enum section section) {
    const struct field *opener = field_opener(section, NULL);
    fputs("\n## ", out);
    if (!opener)
        fputs("The record", out);
    for (const char *separator = ""; opener; opener = field_opener(section, opener)) {
        fprintf(out, "%s`", separator);
        field_path(out, opener, field_opener(opener->section, NULL));
        fprintf(out, "%s`", opener->type == FIELD_ARRAY ? "[]" : "");
        separator = ", ";
    }
    fputs("\n\n| field | type | unit | csv | tables | meaning |\n|---|---|---|--:|---|---|\n", out);
}

/* Numbers of columns as they are counted there. */
static void csv_cell(FILE *out, const struct field *f) {
    const struct field *opener = field_opener(f->section, NULL);
    if (f->csv == 0)
        return;
    fprintf(out, opener && opener->csv ? "+%d" : f->opens ? "from %d" : "%d", f->csv + !!f->opens);
    if (f->type == FIELD_INTERVAL)
        fprintf(out, ", %d", f->csv + 1);
}

static void row(FILE *out, const struct field *f) {
    static const char *const kinds[] = {
        [KIND_COMM] = "comm", [KIND_ATTN] = "attn", [KIND_OTHER] = "others"};
    fprintf(out, "| `%s` | %s%s | %s | ", f->key, types[f->type].words,
            f->required ? ", required" : "", f->unit);
    csv_cell(out, f);
    fputs(" | ", out);
    for (int k = 0, shown = 0; k < RECORD_KINDS; k++)
        if (f->columns[k].title)
            fprintf(out, "%s%s: %s", shown++ ? ", " : "", kinds[k], f->columns[k].title);
    fprintf(out, " | %s |\n", f->help);
}

enum status describe_markdown(FILE *out) {
    fputs("# The record\n\n"
          "`spbench info --generate record-md` writes this file, and `record-schema` the same as\n"
          "[JSON Schema](record.schema.json), from the table in `results/record/fields.c`.\n\n"
          "A run folder's `records.jsonl` has one record a line: a JSON object of one measured\n"
          "case. What was not measured is absent, never 0 and never NaN. Readers must allow for\n"
          "further fields. A change of what a field means changes `schema`.\n\n"
          "Counts are whole numbers that are not negative. csv: the number of its column, in\n"
          "objects of which there are several counted from where theirs begin. tables: the\n"
          "titles of its columns in `-o table` and `-o md`, by the kind of record.\n",
          out);
    for (int section = 0; section < SECTIONS; section++) {
        heading(out, (enum section)section);
        for (const struct field *f = record_fields; f->key; f++)
            if (f->section == (enum section)section)
                row(out, f);
    }
    return ST_OK;
}
