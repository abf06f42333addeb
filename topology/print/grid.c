#include "topology/print/grid.h"

#include <string.h>

static int width_of(int rows, int col, grid_cell *cell, const void *context) {
    char buf[GRID_CELL];
    size_t width = 0;
    for (int row = 0; row < rows; row++) {
        cell(context, row, col, buf, sizeof buf);
        width = strlen(buf) > width ? strlen(buf) : width;
    }
    return (int)width;
}

void grid_print(FILE *out, int rows, int cols, grid_cell *cell, const void *context) {
    enum { MOST = 512 };
    int width[MOST];
    cols = cols < MOST ? cols : MOST;
    for (int col = 0; col < cols; col++)
        width[col] = width_of(rows, col, cell, context);
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++) {
            char buf[GRID_CELL];
            cell(context, row, col, buf, sizeof buf);
            const int last = col == cols - 1;
            fprintf(out, "  %-*s", last ? 0 : width[col], buf);
        }
        fputc('\n', out);
    }
}
