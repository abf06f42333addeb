/* A picture as a list of rectangles and lines of text. Private to topology/.
 *
 * Coordinates are pixels, y downwards. The font is monospaced, so that the room a text takes is
 * known before it is drawn, and a test can tell whether any two texts overlap. */
#ifndef SPB_TOPOLOGY_PRINT_PICTURE_DRAWING_H
#define SPB_TOPOLOGY_PRINT_PICTURE_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum { DRAWING_TEXT = 96 };

struct shape {
    double x, y, w, h;       /* a text's box too */
    unsigned fill;           /* 0xrrggbb, of the rectangle or of the letters */
    bool framed;             /* a rectangle with a thin grey frame */
    char text[DRAWING_TEXT]; /* "" for a rectangle */
};

/* Zero-initialise. */
struct drawing {
    struct shape *shapes;
    size_t n, room;
    double width, height; /* of all shapes, with a margin */
    bool failed;          /* memory was short */
};

void drawing_rect(struct drawing *d, double x, double y, double w, double h, unsigned fill,
                  bool framed);

/* One line of text in letters of the given height, its box's upper left corner at (x, y). Whatever
 * is not printable ASCII becomes '?'. */
void drawing_text(struct drawing *d, double x, double y, double height, unsigned fill,
                  const char *text);

/* The width of a text. */
double drawing_text_width(const char *text, double height);

void drawing_free(struct drawing *d);

/* An SVG document. ST_ENV when memory was short while drawing. */
enum status drawing_svg(const struct drawing *d, FILE *out);

/* A gnuplot script that draws the same as PNG into file, which must hold no quotes. */
enum status drawing_gnuplot(const struct drawing *d, const char *file, FILE *out);

#endif
