#include "topology/print/aligned.h"

#include <stdlib.h>
#include <string.h>

static int width_of(int rows, int col, aligned_cell *cell, const void *context) {
    char buf[ALIGNED_CELL];
    size_t width = 0;
    for (int row = 0; row < rows; row++) {
        cell(context, row, col, buf, sizeof buf);
        width = strlen(buf) > width ? strlen(buf) : width;
    }
    return (int)width;
}

void aligned_print(FILE *out, int rows, int cols, aligned_cell *cell, const void *context) {
    int *width = calloc((size_t)cols, sizeof *width); /* without memory columns are ragged */
    for (int col = 0; width && col + 1 < cols; col++)
        width[col] = width_of(rows, col, cell, context);
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++) {
            char buf[ALIGNED_CELL];
            cell(context, row, col, buf, sizeof buf);
            fprintf(out, "  %-*s", width ? width[col] : 0, buf);
        }
        fputc('\n', out);
    }
    free(width);
}
