/* Text in columns. Private to topology/. */
#ifndef SPB_TOPOLOGY_PRINT_GRID_H
#define SPB_TOPOLOGY_PRINT_GRID_H

#include <stddef.h>
#include <stdio.h>

/* Writes cell (row, col) to buf. Row 0 is the heading. */
typedef void grid_cell(const void *context, int row, int col, char *buf, size_t n);

enum { GRID_CELL = 512 };

/* Prints rows x cols cells, indented by two, each column as wide as its widest cell. */
void grid_print(FILE *out, int rows, int cols, grid_cell *cell, const void *context);

#endif
