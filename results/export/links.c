#include "results/export/links.h"

#include <string.h>

#include "results/record/fields.h"
#include "results/record/record.h"
#include "results/text/format.h"
#include "results/text/table.h"

/* Larger matrices fit no terminal; json has them. */
enum { MATRIX_RANKS = 16 };

static void cell(const json_t *object, enum section section, const char *key, char out[CELL_ROOM]) {
    columns_field(field_find(section, key), object, out);
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
        cell(link, IN_LINKS, "class", cells[0]);
        cell(link, IN_LINKS, "pairs", cells[1]);
        cell(link, IN_LINKS, "mode", cells[2]);
        cell(link, IN_LINKS, "direction", cells[3]);
        cell(end_of(link, false), IN_CURVE, "median_s", cells[4]);
        top_cell(link, cells[5]);
        cell(link, IN_LINKS, "latency_s", cells[6]);
        cell(link, IN_LINKS, "gb_s", cells[7]);
        cell(link, IN_LINKS, "fit_rms_rel_error", cells[8]);
        cell(link, IN_LINKS, "fit_max_rel_error", cells[9]);
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
                         bool markdown, FILE *out) {
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
            cell(json_object_get(pair, a < b ? "isolated" : "loaded"), IN_RATES, key, cells[1 + b]);
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
    print_matrix(pairs, (int)ranks, title, "gb_s", markdown, out);
    print_matrix(pairs, (int)ranks, "Latency of the smallest message", "latency_s", markdown, out);
    return true;
}
