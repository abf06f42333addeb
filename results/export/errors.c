/* The errors of layers, tensor by tensor, as Markdown: a table for each problem, a row for each way
 * to solve it. Records that hold none (exchanges, unchecked layers) are left out. */
#include "results/export/export.h"
#include "results/record/fields.h"
#include "results/record/record.h"
#include "results/text/table.h"

#include <string.h>

static const struct text_column columns[] = {
    {"method", 0, true}, {"P", 0, false},         {"layout", 0, true}, {"dtype", 0, true},
    {"kernel", 0, true}, {"grad_dtype", 0, true}, {"O", 0, false},     {"LSE", 0, false},
    {"delta", 0, false}, {"dQ", 0, false},        {"dK", 0, false},    {"dV", 0, false},
};

static const char *const tensors[] = {"o", "lse", "delta", "dq", "dk", "dv"};

enum {
    COLUMNS = sizeof columns / sizeof columns[0],
    TENSORS = sizeof tensors / sizeof tensors[0],
    ROOM = sizeof((struct export_stream *)0)->table,
};

static const json_t *errors_of(const json_t *record) {
    return json_object_get(json_object_get(record, "check"), "tensors");
}

/* "batch 1, seq 4096, ..., causal, fwdbwd": the params that all rows of a table share. */
static void problem_text(const json_t *record, char out[ROOM]) {
    static const char *const counts[] = {"batch",    "seq",    "padded_seq",    "heads", "kv_heads",
                                         "head_dim", "hidden", "dp_shard_size", "seed"};
    const char *mask = record_str(record, "params", "mask");
    const char *pass = record_str(record, "params", "pass");
    size_t used = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double value;
        if (used < ROOM && record_num(record, "params", counts[i], &value))
            used += (size_t)snprintf(out + used, ROOM - used, "%s %.0f, ", counts[i], value);
    }
    if (used < ROOM)
        snprintf(out + used, ROOM - used, "%s, %s", mask ? mask : "?", pass ? pass : "?");
}

static void begin_table(struct export_stream *stream, const struct text_table *table,
                        const char problem[ROOM]) {
    fputs(stream->table[0] ? "\n" : "Greatest error of a row / RMS error.\n\n", stream->out);
    columns_md(stream->out, problem);
    fputs("\n\n", stream->out);
    text_table_header(table);
    memcpy(stream->table, problem, ROOM);
}

static void param_cell(const json_t *record, const char *key, char out[CELL_ROOM]) {
    columns_field(field_find(IN_PARAMS, key), json_object_get(record, "params"), out);
}

/* ", overlap off": what is not as usual, and tells rows apart. */
static void add_variant(const json_t *record, char out[CELL_ROOM]) {
    static const char *const switches[] = {"overlap", "fuse_qkv"};
    double groups;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *text = record_str(record, "params", switches[i]);
        const size_t used = strlen(out);
        if (text && strcmp(text, "off") == 0)
            snprintf(out + used, CELL_ROOM - used, ", %s off", switches[i]);
    }
    if (record_num(record, "params", "kv_groups", &groups) && groups > 1)
        snprintf(out + strlen(out), CELL_ROOM - strlen(out), ", kv_groups %.0f", groups);
}

/* "usp 2x4 ring inner": ulysses_size x ring_size. */
static void method_cell(const json_t *record, char out[CELL_ROOM]) {
    const char *method = record_str(record, "params", "method");
    const char *inner = record_str(record, "params", "inner");
    double ulysses, ring;
    if (method && inner && record_num(record, "params", "ulysses_size", &ulysses) &&
        record_num(record, "params", "ring_size", &ring))
        snprintf(out, CELL_ROOM, "%.60s %.0fx%.0f %.60s inner", method, ulysses, ring, inner);
    else
        param_cell(record, "method", out);
}

static void error_cell(const json_t *record, const char *tensor, char out[CELL_ROOM]) {
    const json_t *errors = json_object_get(errors_of(record), tensor);
    char text[2][32] = {"-", "-"};
    static const char *const keys[] = {"max", "rms"};
    double value;
    for (int i = 0; i < 2; i++)
        if (record_num(errors, NULL, keys[i], &value))
            snprintf(text[i], sizeof text[i], "%.1e", value);
    snprintf(out, CELL_ROOM, "%s / %s", text[0], text[1]);
}

static void errors_record(struct export_stream *stream, const json_t *record) {
    const struct text_table table = {stream->out, true, columns, COLUMNS};
    char cells[COLUMNS][CELL_ROOM], problem[ROOM] = "";
    if (!errors_of(record))
        return;
    problem_text(record, problem);
    if (strcmp(stream->table, problem) != 0)
        begin_table(stream, &table, problem);
    method_cell(record, cells[0]);
    add_variant(record, cells[0]);
    param_cell(record, "sp_size", cells[1]);
    param_cell(record, "layout", cells[2]);
    param_cell(record, "dtype", cells[3]);
    param_cell(record, "kernel", cells[4]);
    param_cell(record, "grad_dtype", cells[5]);
    for (int i = 0; i < TENSORS; i++)
        error_cell(record, tensors[i], cells[COLUMNS - TENSORS + i]);
    text_table_row(&table, cells);
}

static void errors_end(struct export_stream *stream) {
    if (!stream->table[0])
        note("-o errors: no record has any; they come with layers that are checked");
}

const struct exporter export_errors = {
    .name = "errors",
    .help = "errors of each tensor against fp64, Markdown",
    .record = errors_record,
    .end = errors_end,
    .layers_only = true,
    .markdown = true,
};
