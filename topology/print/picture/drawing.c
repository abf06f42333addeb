#include "topology/print/picture/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { MARGIN = 12 };

/* Of letters of height 1 in DejaVu Sans Mono; other monospaced fonts are as wide or narrower. */
static const double advance = 0.602;

static struct shape *add(struct drawing *d, double x, double y, double w, double h, unsigned fill) {
    if (d->n == d->room) {
        const size_t room = d->room ? 2 * d->room : 256;
        struct shape *grown = realloc(d->shapes, room * sizeof *grown);
        if (!grown) {
            d->failed = true;
            return NULL;
        }
        d->shapes = grown;
        d->room = room;
    }
    struct shape *shape = &d->shapes[d->n++];
    *shape = (struct shape){.x = x, .y = y, .w = w, .h = h, .fill = fill};
    if (x + w + MARGIN > d->width)
        d->width = x + w + MARGIN;
    if (y + h + MARGIN > d->height)
        d->height = y + h + MARGIN;
    return shape;
}

void drawing_rect(struct drawing *d, double x, double y, double w, double h, unsigned fill,
                  bool framed) {
    struct shape *shape = add(d, x, y, w, h, fill);
    if (shape)
        shape->framed = framed;
}

double drawing_text_width(const char *text, double height) {
    const size_t n = strlen(text);
    return (double)(n < DRAWING_TEXT ? n : DRAWING_TEXT - 1) * advance * height;
}

void drawing_text(struct drawing *d, double x, double y, double height, unsigned fill,
                  const char *text) {
    struct shape *shape =
        *text ? add(d, x, y, drawing_text_width(text, height), height, fill) : NULL;
    if (shape)
        text_copy(shape->text, sizeof shape->text, text);
}

void drawing_free(struct drawing *d) {
    free(d->shapes);
    *d = (struct drawing){0};
}

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

static void svg_shape(const struct shape *s, FILE *out) {
    if (!s->text[0]) {
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"%s/>\n",
                s->x, s->y, s->w, s->h, s->fill,
                s->framed ? " stroke=\"#808080\" stroke-width=\"0.8\""
                          : " shape-rendering=\"crispEdges\"");
        return;
    }
    /* The baseline is a fifth of the height above the bottom. */
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" fill=\"#%06x\">", s->x,
            s->y + 0.8 * s->h, s->h, s->fill);
    put_escaped(out, s->text);
    fprintf(out, "</text>\n");
}

static enum status out_of_memory(const struct drawing *d) {
    return d->failed ? fail(ST_ENV, "out of memory for the picture") : ST_OK;
}

enum status drawing_svg(const struct drawing *d, FILE *out) {
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" "
            "xml:space=\"preserve\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            d->width, d->height, d->width, d->height);
    for (size_t i = 0; i < d->n; i++)
        svg_shape(&d->shapes[i], out);
    fprintf(out, "</svg>\n");
    return out_of_memory(d);
}

/* In single quotes only a quote means something to gnuplot, and it is doubled. */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void gnuplot_shape(const struct drawing *d, size_t i, FILE *out) {
    const struct shape *s = &d->shapes[i];
    const double x = s->x / d->width, y = 1 - s->y / d->height;
    if (!s->text[0]) {
        fprintf(out,
                "set object %zu rectangle from screen %.5f,%.5f to screen %.5f,%.5f front fc rgb "
                "'#%06x' fs solid 1 %s\n",
                i + 1, x, y - s->h / d->height, x + s->w / d->width, y, s->fill,
                s->framed ? "border rgb '#808080'" : "noborder");
        return;
    }
    fprintf(out, "set label %zu ", i + 1);
    put_quoted(out, s->text);
    /* Sizes of fonts are points of 1/96 inch times 0.75; the middle of the line is what is placed.
     */
    fprintf(out,
            " at screen %.5f,%.5f left noenhanced front tc rgb '#%06x' font 'DejaVu Sans "
            "Mono,%.1f'\n",
            x, y - 0.5 * s->h / d->height, s->fill, 0.75 * s->h);
}

enum status drawing_gnuplot(const struct drawing *d, const char *file, FILE *out) {
    fprintf(out, "set terminal pngcairo size %.0f,%.0f background rgb '#ffffff'\nset output ",
            d->width, d->height);
    put_quoted(out, file);
    fprintf(out, "\nunset border; unset tics; unset key\nset margins 0,0,0,0\n");
    for (size_t i = 0; i < d->n; i++)
        gnuplot_shape(d, i, out);
    fprintf(out, "plot [0:1][0:1] NaN notitle\n");
    return out_of_memory(d);
}
