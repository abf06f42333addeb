#include "results/compare/row.h"

#include "results/text/csv.h"
#include "results/text/format.h"
#include "results/text/table.h"

#include <string.h>

static const char *const verdict_names[COMPARE_VERDICTS] = {
    [COMPARE_SAME] = "same",
    [COMPARE_NOT_SIGNIFICANT] = "not significant",
    [COMPARE_IMPROVEMENT] = "improvement",
    [COMPARE_REGRESSION] = "REGRESSION",
    [COMPARE_INCONCLUSIVE] = "inconclusive",
    [COMPARE_WRONG] = "WRONG",
    [COMPARE_ONLY_BASE] = "only in BASE",
    [COMPARE_ONLY_NEW] = "only in NEW",
};

static void median_text(const struct summary *time, char out[CELL_ROOM]) {
    char median[FORMAT_ROOM];
    if (time->n == 0)
        strcpy(out, "-");
    else
        snprintf(out, CELL_ROOM, "%s", format_seconds(median, time->median));
}

static void print_rows(const struct compare_row *rows, size_t n,
                       const struct compare_options *options, FILE *out, bool markdown) {
    static const struct text_column columns[] = {
        {"verdict", 15, true}, {"BASE", 9, false}, {"NEW", 9, false},  {"change", 8, false},
        {"p", 8, false},       {"n", 9, false},    {"case", 20, true},
    };
    const struct text_table table = {out, markdown, columns, sizeof columns / sizeof columns[0]};
    size_t count[COMPARE_VERDICTS] = {0};
    text_table_header(&table);
    for (size_t i = 0; i < n; i++) {
        const struct compare_row *row = &rows[i];
        char cells[sizeof columns / sizeof columns[0]][CELL_ROOM];
        count[row->verdict]++;
        snprintf(cells[0], CELL_ROOM, "%s", verdict_names[row->verdict]);
        median_text(&row->times[0], cells[1]);
        median_text(&row->times[1], cells[2]);
        snprintf(cells[3], CELL_ROOM, row->tested ? "%+.1f%%" : "-", 100.0 * row->change);
        snprintf(cells[4], CELL_ROOM, row->tested ? "%.2g" : "-", row->p);
        snprintf(cells[5], CELL_ROOM, "%zu/%zu", row->count[0], row->count[1]);
        for (size_t c = 0; c + 1 < table.n; c++)
            text_table_cell(&table, c, cells[c]);
        text_table_cell(&table, table.n - 1, row->label); /* of any length */
    }
    fprintf(out, "\nThreshold %.3g%%, p < %g:", 100.0 * options->threshold, COMPARE_ALPHA);
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        if (count[v] > 0)
            fprintf(out, " %zu %s;", count[v], verdict_names[v]);
    fprintf(out, " %zu in all.\n", n);
}

static void print_table(const struct compare_row *rows, size_t n,
                        const struct compare_options *options, FILE *out) {
    print_rows(rows, n, options, out, false);
}

static void print_md(const struct compare_row *rows, size_t n,
                     const struct compare_options *options, FILE *out) {
    print_rows(rows, n, options, out, true);
}

static void csv_number(FILE *out, bool known, double value) {
    fputc(',', out);
    if (known)
        fprintf(out, "%.17g", value);
}

static void print_csv(const struct compare_row *rows, size_t n,
                      const struct compare_options *options, FILE *out) {
    (void)options;
    fputs("case,verdict,base_median_s,new_median_s,change,p,base_n,new_n\r\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct compare_row *row = &rows[i];
        csv_text(out, row->name);
        fprintf(out, ",%s", verdict_names[row->verdict]);
        csv_number(out, row->times[0].n > 0, row->times[0].median);
        csv_number(out, row->times[1].n > 0, row->times[1].median);
        csv_number(out, row->tested, row->change);
        csv_number(out, row->tested, row->p);
        fprintf(out, ",%zu,%zu\r\n", row->count[0], row->count[1]);
    }
}

/* {"median_s", "n"} or null. */
static json_t *side_json(const struct summary *time) {
    return time->n > 0 ? json_pack("{s:f, s:I}", "median_s", time->median, "n", (json_int_t)time->n)
                       : json_null();
}

static void print_json(const struct compare_row *rows, size_t n,
                       const struct compare_options *options, FILE *out) {
    json_t *cases = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct compare_row *row = &rows[i];
        json_t *one = json_pack("{s:s, s:s, s:o, s:o}", "case", row->name, "verdict",
                                verdict_names[row->verdict], "base", side_json(&row->times[0]),
                                "new", side_json(&row->times[1]));
        if (row->tested) {
            json_object_set_new(one, "change", json_real(row->change));
            json_object_set_new(one, "p", json_real(row->p));
        }
        json_array_append_new(cases, one);
    }
    json_t *all = json_pack("{s:s, s:f, s:f, s:o}", "schema", "spbench.compare/1", "threshold",
                            options->threshold, "alpha", COMPARE_ALPHA, "cases", cases);
    json_dumpf(all, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(all);
}

static const struct compare_printer printers[] = {
    {"table", print_table}, {"md", print_md}, {"csv", print_csv}, {"json", print_json}};

enum { PRINTERS = sizeof printers / sizeof printers[0] };

const struct compare_printer *compare_printer(size_t i) {
    return i < PRINTERS ? &printers[i] : NULL;
}

const char *compare_printer_name(const struct compare_printer *printer) {
    return printer->name;
}
