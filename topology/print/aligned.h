/* Text in columns. Private to topology/. */
#ifndef SPB_TOPOLOGY_PRINT_ALIGNED_H
#define SPB_TOPOLOGY_PRINT_ALIGNED_H

#include <stddef.h>
#include <stdio.h>

/* Writes cell (row, col) to buf. Row 0 is the heading. */
typedef void aligned_cell(const void *context, int row, int col, char *buf, size_t n);

enum { ALIGNED_CELL = 512 };

/* Prints rows x cols cells, indented by two, each column as wide as its widest cell. */
void aligned_print(FILE *out, int rows, int cols, aligned_cell *cell, const void *context);

#endif
