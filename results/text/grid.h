/* A small table, aligned for a terminal or as Markdown. */
#ifndef SPB_RESULTS_TEXT_GRID_H
#define SPB_RESULTS_TEXT_GRID_H

#include "results/text/columns.h"

struct grid_column {
    const char *title;
    int width;
    bool left;
};

struct grid {
    FILE *out;
    bool markdown;
    const struct grid_column *columns;
    size_t n;
};

void grid_header(const struct grid *grid);

/* Writes the cell of one column; columns come in order, and the last one ends the row. */
void grid_cell(const struct grid *grid, size_t column, const char *text);

/* cells: one text per column; escaped here. */
void grid_row(const struct grid *grid, char cells[][CELL_ROOM]);

#endif
