#include "results/text/grid.h"

void grid_header(const struct grid *grid) {
    for (size_t i = 0; i < grid->n; i++) {
        const struct grid_column *column = &grid->columns[i];
        fputs(grid->markdown ? "| " : i ? "  " : "", grid->out);
        columns_pad(grid->out, column->title, column->width, column->left);
        fputs(grid->markdown ? " " : "", grid->out);
    }
    fputs(grid->markdown ? "|\n" : "\n", grid->out);
    for (size_t i = 0; grid->markdown && i < grid->n; i++)
        fputs(grid->columns[i].left ? "|---" : "|--:", grid->out);
    if (grid->markdown)
        fputs("|\n", grid->out);
}

void grid_cell(const struct grid *grid, size_t column, const char *text) {
    const struct grid_column *c = &grid->columns[column];
    fputs(grid->markdown ? "| " : column ? "  " : "", grid->out);
    if (grid->markdown)
        columns_md(grid->out, text);
    else
        columns_pad(grid->out, text, c->width, c->left);
    fputs(grid->markdown ? " " : "", grid->out);
    if (column + 1 == grid->n)
        fputs(grid->markdown ? "|\n" : "\n", grid->out);
}

void grid_row(const struct grid *grid, char cells[][CELL_ROOM]) {
    for (size_t i = 0; i < grid->n; i++)
        grid_cell(grid, i, cells[i]);
}
