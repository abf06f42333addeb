#include "results/text/columns.h"

#include "results/record/record.h"
#include "results/text/case_label.h"
#include "results/text/format.h"

#include <stdlib.h>
#include <string.h>

#define P "params"

typedef void cell_fn(const json_t *record, char out[CELL_ROOM]);

static char *count(char out[FORMAT_ROOM], double value) {
    snprintf(out, FORMAT_ROOM, "%.0f", value);
    return out;
}

/* How a field's numbers are written. */
static char *format_of(const struct field *field, char out[FORMAT_ROOM], double value) {
    static const struct {
        const char *unit;
        char *(*format)(char[FORMAT_ROOM], double);
    } formats[] = {{"s", format_seconds}, {"bytes", format_size}, {"fraction", format_percent}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].unit, field->unit) == 0)
            return formats[i].format(out, value);
    return field->type == FIELD_COUNT ? count(out, value) : format_number(out, value);
}

void columns_field(const struct field *field, const json_t *object, char out[CELL_ROOM]) {
    const json_t *value = json_object_get(object, field->key);
    char number[FORMAT_ROOM] = "-";
    if (json_is_number(value))
        format_of(field, number, json_number_value(value));
    snprintf(out, CELL_ROOM, "%s", json_is_string(value) ? json_string_value(value) : number);
}

static void plain_cell(const struct field *field, const json_t *record, char out[CELL_ROOM]) {
    const struct field *opener = field_opener(field->section, NULL);
    columns_field(field, opener ? field_value(opener, record) : record, out);
}

/* Also how usp splits its ranks: with one ring rank it is Ulysses by another name. */
static void method_cell(const json_t *record, char out[CELL_ROOM]) {
    const char *method = record_str(record, P, "method");
    double ulysses, ring;
    snprintf(out, CELL_ROOM, "%s", method ? method : "-");
    if (strcmp(out, "usp") == 0 && record_num(record, P, "ulysses_size", &ulysses) &&
        record_num(record, P, "ring_size", &ring))
        snprintf(out, CELL_ROOM, "usp %.0fx%.0f", ulysses, ring);
}

/* Median and the half-width of its confidence interval; '!' when it did not converge. */
static void time_cell(const json_t *record, char out[CELL_ROOM]) {
    struct summary time;
    char median[FORMAT_ROOM], half[FORMAT_ROOM] = "?";
    snprintf(out, CELL_ROOM, "-");
    if (!record_time_read(record, &time))
        return;
    if (time.has_ci95 && time.median > 0.0)
        format_percent(half, stats_ci_halfwidth_rel(&time));
    const json_t *converged = field_value(field_find(IN_TIME, "converged"), record);
    snprintf(out, CELL_ROOM, "%s ±%s%s", format_seconds(median, time.median), half,
             json_is_false(converged) ? "!" : "");
}

static void check_cell(const json_t *record, char out[CELL_ROOM]) {
    const char *status = record_str(record, "check", "status");
    double value;
    if (!status)
        strcpy(out, "-");
    else if (record_is_wrong(record) && record_num(record, "check", "wrong_elements", &value) &&
             value > 0.0)
        snprintf(out, CELL_ROOM, "WRONG (%.0f)", value);
    else if (record_is_wrong(record))
        strcpy(out, "WRONG");
    else if (record_num(record, "check", "max_rel_err", &value))
        snprintf(out, CELL_ROOM, "%.20s %.1e", status, value);
    else
        snprintf(out, CELL_ROOM, "%s", status);
}

/* "ulysses fwd": the operation, and the pass where there is one. */
static void op_cell(const json_t *record, char out[CELL_ROOM]) {
    const char *op = record_str(record, P, "op"), *pass = record_str(record, P, "pass");
    snprintf(out, CELL_ROOM, "%.80s%s%.60s", op ? op : "-", pass ? " " : "", pass ? pass : "");
}

/* The send buffer, or the shape: "8192 x 32/8 x 128" = tokens x heads/kv_heads x head_dim. */
static void size_cell(const json_t *record, char out[CELL_ROOM]) {
    double seq, heads, kv_heads, head_dim;
    if (record_num(record, P, "seq", &seq) && record_num(record, P, "heads", &heads) &&
        record_num(record, P, "kv_heads", &kv_heads) &&
        record_num(record, P, "head_dim", &head_dim))
        snprintf(out, CELL_ROOM, "%.0f x %.0f/%.0f x %.0f", seq, heads, kv_heads, head_dim);
    else
        plain_cell(field_find(IN_PARAMS, "bytes"), record, out);
}

static void transport_cell(const json_t *record, char out[CELL_ROOM]) {
    const char *transport = record_str(record, P, "transport"),
               *algo = record_str(record, P, "algo");
    snprintf(out, CELL_ROOM, "%.60s%s%.60s", transport ? transport : "-", algo ? "/" : "",
             algo ? algo : "");
}

/* Cells that show more than their column's field, and which params that is. */
static const struct {
    enum section section;
    const char *key;
    cell_fn *cell;
    const char *params[5];
} composed[] = {
    {IN_PARAMS, "method", method_cell, {NULL}},
    {IN_PARAMS, "op", op_cell, {"pass"}},
    {IN_PARAMS, "bytes", size_cell, {"seq", "heads", "kv_heads", "head_dim"}},
    {IN_PARAMS, "transport", transport_cell, {"algo"}},
    {IN_METRICS, "time_s", time_cell, {NULL}},
    {IN_CHECK, "status", check_cell, {NULL}},
};

enum { COMPOSED = sizeof composed / sizeof composed[0] };

static bool composes(size_t i, const struct field *field) {
    return composed[i].section == field->section && strcmp(composed[i].key, field->key) == 0;
}

void columns_cell(const struct field *field, const json_t *record, char out[CELL_ROOM]) {
    for (size_t i = 0; i < COMPOSED; i++)
        if (composes(i, field)) {
            composed[i].cell(record, out);
            return;
        }
    plain_cell(field, record, out);
}

const struct field *columns_next(enum record_kind kind, const struct field *previous) {
    const struct field *field = previous ? previous + 1 : record_fields;
    while (field->key && !field->columns[kind].title)
        field++;
    return field->key ? field : NULL;
}

bool columns_left(const struct field *field) {
    return field->type == FIELD_TEXT;
}

static bool shows(const struct field *field, const char *param) {
    if (field->section == IN_RECORD)
        return strcmp(field->key, "case") == 0; /* which has them all */
    if (field->section == IN_PARAMS && strcmp(field->key, param) == 0)
        return true;
    for (size_t i = 0; i < COMPOSED; i++)
        for (size_t k = 0; composes(i, field) && composed[i].params[k]; k++)
            if (strcmp(composed[i].params[k], param) == 0)
                return true;
    return false;
}

/* Params under another name than the option that asks for them. */
static const char *param_of(const char *key) {
    static const char *const names[][2] = {
        {"sp", "sp_size"},
        {"dp_shard", "dp_shard_size"},
        {"ranks", "world_size"},
        {"mpi_algo", "algo"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return key;
}

bool columns_swept(const json_t *record, const char *const *swept, char *out, size_t room) {
    size_t used = 0;
    const enum record_kind kind = record_kind_of(record);
    const char *name = record_str(record, NULL, "case");
    for (; swept && *swept && used < room; swept++) {
        const char *param = param_of(*swept), *separator = used ? ", " : "";
        const char *text = record_str(record, P, param);
        size_t length = text ? strlen(text) : 0;
        double number;
        const struct field *column = columns_next(kind, NULL);
        while (column && !shows(column, param))
            column = columns_next(kind, column);
        if (column)
            continue;
        if (!text && record_num(record, P, param, &number)) {
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s %.15g", separator, *swept, number);
            continue;
        }
        if (!text && name)
            text = case_value(name, *swept, &length);
        if (text)
            used += (size_t)snprintf(out + used, room - used, "%s%s %.*s", separator, *swept,
                                     (int)length, text);
    }
    return used > 0;
}

static int longest_first(const void *a, const void *b) {
    double x = 0.0, y = 0.0;
    record_num(*(json_t *const *)a, NULL, "median_s", &x);
    record_num(*(json_t *const *)b, NULL, "median_s", &y);
    return (x < y) - (x > y);
}

bool columns_phases(const json_t *record, char *out, size_t room) {
    static const double LEAST_SHARE = 0.01; /* smaller ones are added up */
    const json_t *phases = json_object_get(record, "phases");
    const size_t n = json_array_size(phases);
    const json_t **sorted = n > 0 ? calloc(n, sizeof *sorted) : NULL;
    if (!sorted)
        return false;
    for (size_t i = 0; i < n; i++)
        sorted[i] = json_array_get(phases, i);
    qsort(sorted, n, sizeof *sorted, longest_first);
    struct summary time;
    const bool timed = record_time_read(record, &time) && time.median > 0.0;
    size_t used = 0;
    double rest = 0.0;
    for (size_t i = 0; i < n && used < room; i++) {
        double s = 0.0;
        char seconds[FORMAT_ROOM], share[FORMAT_ROOM] = "";
        record_num(sorted[i], NULL, "median_s", &s);
        if (timed && s < LEAST_SHARE * time.median) {
            rest += s;
            continue;
        }
        if (timed)
            snprintf(share, sizeof share, " %.0f%%", 100.0 * s / time.median);
        used += (size_t)snprintf(out + used, room - used, "%s%.40s %s%s", i ? ", " : "",
                                 record_str(sorted[i], NULL, "name"), format_seconds(seconds, s),
                                 share);
    }
    if (rest > 0.0 && used < room)
        snprintf(out + used, room - used, ", the rest %.1f%%", 100.0 * rest / time.median);
    free(sorted);
    return true;
}

/* "sp network 0.120 GB/s" after what stands in out; returns the length. */
static size_t put_link(const json_t *record, const char *group, char *out, size_t room,
                       size_t used) {
    char class[24], rate[24], number[FORMAT_ROOM];
    double gb_s;
    snprintf(class, sizeof class, "%s_worst_link", group);
    snprintf(rate, sizeof rate, "%s_link_gb_s", group);
    const char *name = record_str(record, "interconnect", class);
    if (!name || !record_num(record, "interconnect", rate, &gb_s))
        return used;
    return used + (size_t)snprintf(out + used, room - used, "%s%s %.20s %s GB/s", used ? ", " : "",
                                   group, name, format_number(number, gb_s));
}

bool columns_links(const json_t *record, char *out, size_t room) {
    double alone, predicted;
    char a[FORMAT_ROOM], p[FORMAT_ROOM];
    const char *source = record_str(record, "interconnect", "link_rates");
    size_t used = put_link(record, "sp", out, room, 0);
    used = put_link(record, "dp", out, room, used);
    if (used == 0 || !source || !record_num(record, "metrics", "comm_only_s", &alone))
        return false;
    used += (size_t)snprintf(out + used, room - used, " (%.20s); exchanges alone %s", source,
                             format_seconds(a, alone));
    if (record_num(record, "metrics", "predicted_comm_s", &predicted))
        snprintf(out + used, room - used, ", predicted %s", format_seconds(p, predicted));
    return true;
}

void columns_pad(FILE *out, const char *text, int width, bool left) {
    int shown = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        shown += (*c & 0xc0) != 0x80; /* continuation bytes take no room */
    const int pad = shown < width ? width - shown : 0;
    if (!left)
        fprintf(out, "%*s", pad, "");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fputc(*c < ' ' || *c == 0x7f ? '?' : *c, out);
    if (left)
        fprintf(out, "%*s", pad, "");
}

void columns_md(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < ' ' || *c == 0x7f)
            fputc(' ', out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (strchr("|\\`*[", *c))
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
    }
}
