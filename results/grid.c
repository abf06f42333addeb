#include "results/grid.h"

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

void grid_row(const struct grid *grid, char cells[][CELL_ROOM]) {
    for (size_t i = 0; i < grid->n; i++) {
        fputs(grid->markdown ? "| " : i ? "  " : "", grid->out);
        if (grid->markdown)
            columns_md(grid->out, cells[i]);
        else
            columns_pad(grid->out, cells[i], grid->columns[i].width, grid->columns[i].left);
        fputs(grid->markdown ? " " : "", grid->out);
    }
    fputs(grid->markdown ? "|\n" : "\n", grid->out);
}
