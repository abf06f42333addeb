/* Boxes in boxes: a tree that lays itself out. Private to topology/. */
#ifndef SPB_TOPOLOGY_PRINT_PICTURE_BOX_H
#define SPB_TOPOLOGY_PRINT_PICTURE_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/print/picture/drawing.h"

struct box {
    char title[DRAWING_TEXT];  /* its first line */
    char second[DRAWING_TEXT]; /* its second, "" if it has none */
    unsigned fill;
    bool bare; /* no frame, no fill: only keeps its children together */
    int cols;  /* children in a row */
    struct box **children;
    size_t n_children;
    double w, h; /* set by box_measure() */
};

/* A box inside parent, which owns it, or with parent NULL a root. NULL when memory is short. */
struct box *box_new(struct box *parent, unsigned fill, int cols);

/* Sets the size of box and of all that is in it. */
void box_measure(struct box *box);

/* Draws a measured box with its upper left corner at (x, y). */
void box_draw(const struct box *box, struct drawing *d, double x, double y);

void box_free(struct box *box); /* and all that is in it; NULL is allowed */

#endif
