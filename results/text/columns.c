#include "results/text/columns.h"

#include "results/record/record.h"
#include "results/text/case_label.h"
#include "results/text/format.h"

#include <stdlib.h>
#include <string.h>

static void absent(char out[CELL_ROOM]) {
    strcpy(out, "-");
}

static void text_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    const char *value = record_str(record, column->section, column->key);
    snprintf(out, CELL_ROOM, "%s", value ? value : "-");
}

/* Also how usp splits its ranks: with one ring rank it is Ulysses by another name. */
static void method_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    double ulysses, ring;
    text_cell(column, record, out);
    if (strcmp(out, "usp") == 0 && record_num(record, column->section, "ulysses_size", &ulysses) &&
        record_num(record, column->section, "ring_size", &ring))
        snprintf(out, CELL_ROOM, "usp %.0fx%.0f", ulysses, ring);
}

static void count_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    double value;
    if (record_num(record, column->section, column->key, &value))
        snprintf(out, CELL_ROOM, "%.0f", value);
    else
        absent(out);
}

/* A cell through one of the formatters of results/text/format.h. */
static void formatted(const struct column *column, const json_t *record, char out[CELL_ROOM],
                      char *(*format)(char[FORMAT_ROOM], double)) {
    double value;
    char number[FORMAT_ROOM];
    if (record_num(record, column->section, column->key, &value))
        snprintf(out, CELL_ROOM, "%s", format(number, value));
    else
        absent(out);
}

static void number_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    formatted(column, record, out, format_number);
}

static void bytes_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    formatted(column, record, out, format_size);
}

static void seconds_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    formatted(column, record, out, format_seconds);
}

static void percent_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    formatted(column, record, out, format_percent);
}

/* Median and the half-width of its confidence interval; '!' when it did not converge. */
static void time_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    (void)column;
    struct summary time;
    char median[FORMAT_ROOM], half[FORMAT_ROOM] = "?";
    if (!record_time_read(record, &time)) {
        absent(out);
        return;
    }
    if (time.has_ci95 && time.median > 0.0)
        format_percent(half, stats_ci_halfwidth_rel(&time));
    const json_t *object = json_object_get(json_object_get(record, "metrics"), "time_s");
    const bool open = json_is_false(json_object_get(object, "converged"));
    snprintf(out, CELL_ROOM, "%s ±%s%s", format_seconds(median, time.median), half,
             open ? "!" : "");
}

static void check_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    (void)column;
    const char *status = record_str(record, "check", "status");
    double value;
    if (!status)
        absent(out);
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
static void op_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    const char *op = record_str(record, "params", "op");
    const char *pass = record_str(record, "params", "pass");
    (void)column;
    snprintf(out, CELL_ROOM, "%.80s%s%.60s", op ? op : "-", pass ? " " : "", pass ? pass : "");
}

/* The send buffer, or the shape: "8192 x 32/8 x 128" = tokens x heads/kv_heads x head_dim. */
static void size_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    double seq, heads, kv_heads, head_dim;
    if (record_num(record, "params", "seq", &seq) &&
        record_num(record, "params", "heads", &heads) &&
        record_num(record, "params", "kv_heads", &kv_heads) &&
        record_num(record, "params", "head_dim", &head_dim))
        snprintf(out, CELL_ROOM, "%.0f x %.0f/%.0f x %.0f", seq, heads, kv_heads, head_dim);
    else
        bytes_cell(column, record, out);
}

static void transport_cell(const struct column *column, const json_t *record, char out[CELL_ROOM]) {
    const char *transport = record_str(record, "params", "transport");
    const char *algo = record_str(record, "params", "algo");
    (void)column;
    snprintf(out, CELL_ROOM, "%.60s%s%.60s", transport ? transport : "-", algo ? "/" : "",
             algo ? algo : "");
}

#define P "params"
#define M "metrics"

static const struct column comm_columns[] = {
    {"op", 18, op_cell, P, "op", true},
    {"bytes or shape", 20, size_cell, P, "bytes", false},
    {"ranks", 5, count_cell, P, "world_size", false},
    {"transport/algo", 15, transport_cell, P, "transport", true},
    {"time", 16, time_cell, M, "time_s", false},
    {"predicted", 9, seconds_cell, M, "predicted_comm_s", false},
    {"algbw GB/s", 10, number_cell, M, "algbw_gb_s", false},
    {"busbw GB/s", 10, number_cell, M, "busbw_gb_s", false},
    {"of bound", 8, percent_cell, M, "fraction_of_bound", false},
    {"sent/rank", 10, bytes_cell, M, "bytes_sent_per_rank", false},
    {"predicted", 10, bytes_cell, M, "bytes_predicted_per_rank", false},
    {"check", 12, check_cell, "check", "status", true},
};

static const struct column attn_columns[] = {
    {"method", 9, method_cell, P, "method", true},
    {"sp", 3, count_cell, P, "sp_size", false},
    {"dp", 3, count_cell, P, "dp_shard_size", false},
    {"seq", 8, count_cell, P, "seq", false},
    {"pass", 6, text_cell, P, "pass", true},
    {"time", 16, time_cell, M, "time_s", false},
    {"tokens/s", 8, number_cell, M, "tokens_per_s", false},
    {"TFLOP/s", 8, number_cell, M, "tflops", false},
    {"exposed", 8, seconds_cell, M, "exposed_comm_s", false},
    {"overlap", 7, percent_cell, M, "overlap", false},
    {"sent/rank", 9, bytes_cell, M, "bytes_sent_per_rank", false},
    {"predicted", 9, bytes_cell, M, "bytes_predicted_per_rank", false},
    {"peak mem", 9, bytes_cell, M, "peak_mem_bytes", false},
    {"predicted", 9, bytes_cell, M, "predicted_mem_bytes", false},
    {"check", 10, check_cell, "check", "status", true},
};

static const struct column general_columns[] = {
    {"case", 60, text_cell, NULL, "case", true},
    {"time", 16, time_cell, M, "time_s", false},
    {"check", 12, check_cell, "check", "status", true},
};

static const struct {
    const char *kind;
    const struct column *columns;
    size_t n;
} kinds[] = {
    {"comm", comm_columns, sizeof comm_columns / sizeof comm_columns[0]},
    {"attn", attn_columns, sizeof attn_columns / sizeof attn_columns[0]},
};

const struct column *columns_for(const char *kind, size_t *n) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) != 0)
            continue;
        *n = kinds[i].n;
        return kinds[i].columns;
    }
    *n = sizeof general_columns / sizeof general_columns[0];
    return general_columns;
}

/* Params that a cell shows beside the one that its column names. */
static const struct {
    void (*cell)(const struct column *column, const json_t *record, char out[CELL_ROOM]);
    const char *params[5];
} composed[] = {
    {op_cell, {"pass"}},
    {size_cell, {"seq", "heads", "kv_heads", "head_dim"}},
    {transport_cell, {"algo"}},
};

static bool shows(const struct column *column, const char *param) {
    if (!column->section)
        return strcmp(column->key, "case") == 0; /* which has them all */
    if (strcmp(column->section, P) != 0)
        return false;
    if (strcmp(column->key, param) == 0)
        return true;
    for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++)
        for (size_t k = 0; composed[i].cell == column->cell && composed[i].params[k]; k++)
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
    size_t n, used = 0;
    const char *kind = record_str(record, NULL, "kind"), *name = record_str(record, NULL, "case");
    const struct column *columns = columns_for(kind ? kind : "", &n);
    for (; swept && *swept && used < room; swept++) {
        const char *param = param_of(*swept), *separator = used ? ", " : "";
        const char *text = record_str(record, P, param);
        size_t length = text ? strlen(text) : 0;
        double number;
        bool shown = false;
        for (size_t i = 0; i < n; i++)
            shown = shown || shows(&columns[i], param);
        if (shown)
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
    enum { MOST = 64 };
    static const double LEAST_SHARE = 0.01; /* smaller ones are added up */
    const json_t *sorted[MOST];
    const json_t *phases = json_object_get(record, "phases");
    size_t n = 0;
    for (; n < json_array_size(phases) && n < MOST; n++)
        sorted[n] = json_array_get(phases, n);
    if (n == 0)
        return false;
    qsort(sorted, n, sizeof sorted[0], longest_first);
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
    if (used == 0 || !source || !record_num(record, M, "comm_only_s", &alone))
        return false;
    used += (size_t)snprintf(out + used, room - used, " (%.20s); exchanges alone %s", source,
                             format_seconds(a, alone));
    if (record_num(record, M, "predicted_comm_s", &predicted))
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
