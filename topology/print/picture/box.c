#include "topology/print/picture/box.h"

#include <stdlib.h>

static const double gap = 5, letters = 10, line = 13;

struct box *box_new(struct box *parent, unsigned fill, int cols) {
    struct box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->fill = fill;
    box->cols = cols > 0 ? cols : 1;
    if (!parent)
        return box;
    struct box **grown =
        realloc(parent->children, (parent->n_children + 1) * sizeof *parent->children);
    if (!grown) {
        free(box);
        return NULL;
    }
    parent->children = grown;
    parent->children[parent->n_children++] = box;
    return box;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double head_height(const struct box *box) {
    return (box->title[0] ? line : 0) + (box->second[0] ? line : 0);
}

static double padding(const struct box *box) {
    return box->bare ? 0 : gap;
}

/* The width of column col, or the height of row row. */
static double column_width(const struct box *box, size_t col) {
    double w = 0;
    for (size_t i = col; i < box->n_children; i += (size_t)box->cols)
        w = larger(w, box->children[i]->w);
    return w;
}

static double row_height(const struct box *box, size_t row) {
    const size_t first = row * (size_t)box->cols;
    double h = 0;
    for (size_t i = first; i < box->n_children && i < first + (size_t)box->cols; i++)
        h = larger(h, box->children[i]->h);
    return h;
}

static size_t columns(const struct box *box) {
    return box->n_children < (size_t)box->cols ? box->n_children : (size_t)box->cols;
}

static size_t rows(const struct box *box) {
    return (box->n_children + (size_t)box->cols - 1) / (size_t)box->cols;
}

void box_measure(struct box *box) {
    double w = 0, h = 0;
    for (size_t i = 0; i < box->n_children; i++)
        box_measure(box->children[i]);
    for (size_t col = 0; col < columns(box); col++)
        w += column_width(box, col) + (col ? gap : 0);
    for (size_t row = 0; row < rows(box); row++)
        h += row_height(box, row) + (row ? gap : 0);
    w = larger(w, drawing_text_width(box->title, letters));
    w = larger(w, drawing_text_width(box->second, letters));
    const double head = head_height(box);
    box->w = w + 2 * padding(box);
    box->h = h + head + 2 * padding(box) + (head > 0 && h > 0 ? gap / 2 : 0);
}

void box_draw(const struct box *box, struct drawing *d, double x, double y) {
    if (!box->bare)
        drawing_rect(d, x, y, box->w, box->h, box->fill, true);
    double top = y + padding(box);
    drawing_text(d, x + padding(box), top + 1, letters, 0x202020, box->title);
    if (box->second[0])
        drawing_text(d, x + padding(box), top + line + 1, letters, 0x202020, box->second);
    const double head = head_height(box);
    top += head + (head > 0 ? gap / 2 : 0);
    for (size_t row = 0; row < rows(box); row++) {
        double left = x + padding(box);
        for (size_t col = 0; col < columns(box); col++) {
            const size_t i = row * (size_t)box->cols + col;
            if (i < box->n_children) {
                /* Neighbours are as wide and high as the largest of them. */
                box->children[i]->w = column_width(box, col);
                box->children[i]->h = row_height(box, row);
                box_draw(box->children[i], d, left, top);
            }
            left += column_width(box, col) + gap;
        }
        top += row_height(box, row) + gap;
    }
}

void box_free(struct box *box) {
    if (!box)
        return;
    for (size_t i = 0; i < box->n_children; i++)
        box_free(box->children[i]);
    free(box->children);
    free(box);
}
