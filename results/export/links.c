#include "results/export/links.h"

#include <string.h>

#include "results/record/record.h"
#include "results/text/format.h"
#include "results/text/table.h"

/* Larger matrices fit no terminal; json has them. */
enum { MATRIX_RANKS = 16 };

static void number_cell(const json_t *object, const char *key,
                        char *(*format)(char[FORMAT_ROOM], double), char out[CELL_ROOM]) {
    double value;
    char text[FORMAT_ROOM];
    snprintf(out, CELL_ROOM, "%s",
             record_num(object, NULL, key, &value) ? format(text, value) : "-");
}

static void text_cell(const json_t *object, const char *key, char out[CELL_ROOM]) {
    const char *text = record_str(object, NULL, key);
    snprintf(out, CELL_ROOM, "%s", text ? text : "-");
}

static void count_cell(const json_t *object, const char *key, char out[CELL_ROOM]) {
    double value;
    snprintf(out, CELL_ROOM, "-");
    if (record_num(object, NULL, key, &value))
        snprintf(out, CELL_ROOM, "%.0f", value);
}

/* The curve's point that is the first, or the last, one. */
static const json_t *end_of(const json_t *link, bool last) {
    const json_t *curve = json_object_get(link, "curve");
    const size_t n = json_array_size(curve);
    return n > 0 ? json_array_get(curve, last ? n - 1 : 0) : NULL;
}

/* Measured bandwidth at the largest size. */
static void top_cell(const json_t *link, char out[CELL_ROOM]) {
    double bytes, seconds;
    char text[FORMAT_ROOM];
    const json_t *top = end_of(link, true);
    const bool known = record_num(top, NULL, "bytes", &bytes) &&
                       record_num(top, NULL, "median_s", &seconds) && seconds > 0;
    snprintf(out, CELL_ROOM, "%s", known ? format_number(text, bytes / seconds / 1e9) : "-");
}

static void print_links(const json_t *links, bool markdown, FILE *out) {
    static const struct text_column columns[] = {
        {"link", 13, true},          {"pairs", 5, false},           {"measured", 8, true},
        {"direction", 9, true},      {"smallest", 8, false},        {"largest GB/s", 12, false},
        {"fit: latency", 12, false}, {"bandwidth GB/s", 14, false}, {"rms error", 9, false},
        {"max error", 9, false},
    };
    const struct text_table table = {out, markdown, columns, sizeof columns / sizeof columns[0]};
    size_t i;
    json_t *link;
    text_table_header(&table);
    json_array_foreach(links, i, link) {
        char cells[sizeof columns / sizeof columns[0]][CELL_ROOM];
        text_cell(link, "class", cells[0]);
        count_cell(link, "pairs", cells[1]);
        text_cell(link, "mode", cells[2]);
        text_cell(link, "direction", cells[3]);
        number_cell(end_of(link, false), "median_s", format_seconds, cells[4]);
        top_cell(link, cells[5]);
        number_cell(link, "latency_s", format_seconds, cells[6]);
        number_cell(link, "gb_s", format_number, cells[7]);
        number_cell(link, "fit_rms_rel_error", format_percent, cells[8]);
        number_cell(link, "fit_max_rel_error", format_percent, cells[9]);
        text_table_row(&table, cells);
    }
}

/* Pair a < b, or NULL. */
static const json_t *find_pair(const json_t *pairs, int a, int b) {
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair) {
        double x, y;
        if (record_num(pair, NULL, "a", &x) && record_num(pair, NULL, "b", &y) && (int)x == a &&
            (int)y == b)
            return pair;
    }
    return NULL;
}

/* Isolated above the diagonal, loaded below. */
static void print_matrix(const json_t *pairs, int ranks, const char *title, const char *key,
                         char *(*format)(char[FORMAT_ROOM], double), bool markdown, FILE *out) {
    struct text_column columns[1 + MATRIX_RANKS] = {{"rank", 4, false}};
    char titles[MATRIX_RANKS][12];
    for (int b = 0; b < ranks; b++) {
        snprintf(titles[b], sizeof titles[b], "%d", b);
        columns[1 + b] = (struct text_column){titles[b], 7, false};
    }
    const struct text_table table = {out, markdown, columns, (size_t)ranks + 1};
    fprintf(out, "\n%s, one direction; above the diagonal isolated, below loaded\n\n", title);
    text_table_header(&table);
    for (int a = 0; a < ranks; a++) {
        char cells[1 + MATRIX_RANKS][CELL_ROOM];
        snprintf(cells[0], CELL_ROOM, "%d", a);
        for (int b = 0; b < ranks; b++) {
            const json_t *pair = find_pair(pairs, a < b ? a : b, a < b ? b : a);
            number_cell(json_object_get(pair, a < b ? "isolated" : "loaded"), key, format,
                        cells[1 + b]);
        }
        text_table_row(&table, cells);
    }
}

bool links_print(const json_t *record, bool markdown, FILE *out) {
    const json_t *links = json_object_get(record, "links");
    const json_t *pairs = json_object_get(record, "pairs");
    double ranks = 0, bytes = 0;
    if (json_array_size(links) == 0)
        return false;
    fputc('\n', out);
    print_links(links, markdown, out);
    if (!record_num(record, "params", "world_size", &ranks) || ranks < 2 || ranks > MATRIX_RANKS)
        return true;
    char title[80], size[FORMAT_ROOM];
    record_num(record, "params", "bytes", &bytes);
    snprintf(title, sizeof title, "GB/s of %s", format_size(size, bytes));
    print_matrix(pairs, (int)ranks, title, "gb_s", format_number, markdown, out);
    print_matrix(pairs, (int)ranks, "Latency of the smallest message", "latency_s", format_seconds,
                 markdown, out);
    return true;
}
