/* A small table, aligned for a terminal or as Markdown. */
#ifndef SPB_RESULTS_TEXT_TABLE_H
#define SPB_RESULTS_TEXT_TABLE_H

#include "results/text/columns.h"

struct text_column {
    const char *title;
    int width;
    bool left;
};

struct text_table {
    FILE *out;
    bool markdown;
    const struct text_column *columns;
    size_t n;
};

void text_table_header(const struct text_table *table);

/* Writes the cell of one column; columns come in order, and the last one ends the row. */
void text_table_cell(const struct text_table *table, size_t column, const char *text);

/* cells: one text per column; escaped here. */
void text_table_row(const struct text_table *table, char cells[][CELL_ROOM]);

#endif
