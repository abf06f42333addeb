/* For people: a table for the terminal, and the same columns as Markdown. */
#include "results/export/export.h"
#include "results/export/links.h"
#include "results/record/record.h"
#include "results/text/columns.h"

#include <string.h>

enum { PHASES_ROOM = 2048 };

/* True when the record begins a table of another kind, which is then remembered. */
static bool begins_table(struct export_stream *stream, const json_t *record) {
    const char *kind = record_str(record, NULL, "kind");
    if (!kind)
        kind = "";
    if (stream->count && strncmp(stream->table, kind, sizeof stream->table - 1) == 0)
        return false;
    if (stream->count)
        fputc('\n', stream->out);
    snprintf(stream->table, sizeof stream->table, "%s", kind);
    return true;
}

/* A line below a record. */
static void detail(FILE *out, const char *name, const char *text) {
    fprintf(out, "    %s: ", name);
    columns_pad(out, text, 0, true);
    fputc('\n', out);
}

/* A record's links end the table; the next record begins a new one. */
static void links_section(struct export_stream *stream, const json_t *record, bool markdown) {
    if (links_print(record, markdown, stream->out))
        stream->table[0] = '\0';
}

/* A line of the table: its titles, or a record's cells. */
static void table_line(FILE *out, enum record_kind kind, const json_t *record) {
    const char *separator = "";
    for (const struct field *f = NULL; (f = columns_next(kind, f)); separator = "  ") {
        char cell[CELL_ROOM];
        if (record)
            columns_cell(f, record, cell);
        fputs(separator, out);
        columns_pad(out, record ? cell : f->columns[kind].title, f->columns[kind].width,
                    columns_left(f));
    }
    fputc('\n', out);
}

static void table_record(struct export_stream *stream, const json_t *record) {
    const enum record_kind kind = record_kind_of(record);
    if (begins_table(stream, record))
        table_line(stream->out, kind, NULL);
    table_line(stream->out, kind, record);
    char text[PHASES_ROOM];
    if (columns_swept(record, stream->swept, text, sizeof text))
        detail(stream->out, "with", text);
    if (columns_phases(record, text, sizeof text))
        detail(stream->out, "phases", text);
    if (columns_links(record, text, sizeof text))
        detail(stream->out, "links", text);
    links_section(stream, record, false);
}

static void md_header(FILE *out, enum record_kind kind) {
    for (const struct field *f = NULL; (f = columns_next(kind, f));)
        fprintf(out, "| %s ", f->columns[kind].title);
    fputs("| phases |\n", out);
    for (const struct field *f = NULL; (f = columns_next(kind, f));)
        fputs(columns_left(f) ? "|---" : "|--:", out);
    fputs("|---|\n", out);
}

/* Phases, what was swept and links are a last column: a line of their own would end a Markdown
 * table. */
static void md_record(struct export_stream *stream, const json_t *record) {
    const enum record_kind kind = record_kind_of(record);
    if (begins_table(stream, record))
        md_header(stream->out, kind);
    for (const struct field *f = NULL; (f = columns_next(kind, f));) {
        char cell[CELL_ROOM];
        columns_cell(f, record, cell);
        fputs("| ", stream->out);
        columns_md(stream->out, cell);
        fputc(' ', stream->out);
    }
    char text[3][PHASES_ROOM] = {"", "", ""};
    columns_swept(record, stream->swept, text[0], PHASES_ROOM);
    columns_phases(record, text[1], PHASES_ROOM);
    if (!columns_links(record, text[2], PHASES_ROOM))
        text[2][0] = '\0';
    fputs("| ", stream->out);
    for (int k = 0, shown = 0; k < 3; k++) {
        if (!text[k][0])
            continue;
        fputs(shown++ > 0 ? "; " : "", stream->out);
        columns_md(stream->out, text[k]);
    }
    fputs(" |\n", stream->out);
    links_section(stream, record, true);
}

const struct exporter export_table = {
    .name = "table",
    .help = "columns for a terminal",
    .record = table_record,
    .sets_side_by_side = true,
};
const struct exporter export_md = {
    .name = "md",
    .help = "Markdown tables",
    .record = md_record,
    .markdown = true,
    .sets_side_by_side = true,
};
