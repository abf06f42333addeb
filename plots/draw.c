#include "plots/draw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "NAME.EXT", later pages "NAME-2.EXT". */
static void file_name(char *out, size_t room, const struct picture *picture,
                      const char *extension) {
    if (picture->page == 0)
        snprintf(out, room, "%s.%s", picture->name, extension);
    else
        snprintf(out, room, "%s-%zu.%s", picture->name, picture->page + 1, extension);
}

FILE *draw_data(const struct album *album, const struct picture *picture) {
    char name[LABEL_ROOM], path[4096];
    file_name(name, sizeof name, picture, "dat");
    const int n = snprintf(path, sizeof path, "%s/%s", album->options->out_dir, name);
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "we") : NULL;
    if (!out)
        fail(ST_ENV, "%s/%s: %s", album->options->out_dir, name, strerror(errno));
    return out;
}

const struct plot_format plot_format_table[] = {{"png", PLOT_PNG}, {"svg", PLOT_SVG}, {0}};

enum status draw_picture(struct album *album, const struct picture *picture) {
    char data[LABEL_ROOM], output[LABEL_ROOM];
    file_name(data, sizeof data, picture, "dat");
    for (const struct plot_format *format = plot_format_table; format->name; format++) {
        if (!(album->options->formats & format->bit))
            continue;
        file_name(output, sizeof output, picture, format->name);
        const char *const args[GNUPLOT_ARGS] = {
            picture->name,  format->name,     output,          data,
            picture->title, picture->colours, picture->styles, picture->extra};
        const enum status st = gnuplot_run(album->options->out_dir, album->scripts, args);
        if (st != ST_OK)
            return st;
        album->pictures++;
    }
    return ST_OK;
}

/* Colours of methods never change between pictures; other things take them in turn. */
static unsigned colour_of(const char *key, unsigned next, bool is_method) {
    static const char *const methods[] = {"local", "ulysses", "ring", "allgather", "usp"};
    for (unsigned i = 0; is_method && i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i], key) == 0)
            return i;
    return 1 + next % 7;
}

/* How many different keys stand before that of line i: the index of its own. key_at is the offset
 * of the key inside a line. */
static unsigned index_of_key(const struct chart_line *lines, size_t i, size_t key_at) {
    unsigned index = 0;
    for (size_t k = 0; k <= i; k++) {
        const char *key = (const char *)&lines[k] + key_at;
        if (strcmp(key, (const char *)&lines[i] + key_at) == 0)
            return index;
        bool is_new = true;
        for (size_t j = 0; j < k; j++)
            is_new = is_new && strcmp((const char *)&lines[j] + key_at, key) != 0;
        index += is_new;
    }
    return index;
}

static void append_number(char *list, size_t room, unsigned number) {
    const size_t used = strlen(list);
    snprintf(list + used, room - used, "%s%u", used ? " " : "", number);
}

static void choose_styles(const struct chart_line *lines, size_t n, bool by_method,
                          struct picture *picture) {
    for (size_t i = 0; i < n; i++) {
        const unsigned colour = index_of_key(lines, i, offsetof(struct chart_line, colour_key));
        const unsigned style = index_of_key(lines, i, offsetof(struct chart_line, style_key));
        append_number(picture->colours, sizeof picture->colours,
                      colour_of(lines[i].colour_key, colour, by_method));
        append_number(picture->styles, sizeof picture->styles, style);
    }
}

static void write_number(FILE *out, double value) {
    if (isfinite(value))
        fprintf(out, " %.9g", value);
    else
        fputs(" NaN", out);
}

/* One gnuplot index a line: its label, then "x y low high predicted". Gives the ranges of x and y.
 */
static void write_lines(FILE *out, const struct chart_line *lines, size_t n, double x[2],
                        double y[2]) {
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = 0.0;
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s\"%s\"\n", i ? "\n\n" : "", lines[i].label);
        for (size_t k = 0; k < lines[i].n; k++) {
            const struct chart_point *point = &lines[i].points[k];
            const double columns[] = {point->x, point->y, point->low, point->high,
                                      point->predicted};
            for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
                write_number(out, columns[c]);
            fputc('\n', out);
            x[0] = fmin(x[0], point->x);
            x[1] = fmax(x[1], point->x);
            y[0] = fmin(y[0], fmin(point->y, point->predicted)); /* fmin passes over NAN */
            y[1] = fmax(y[1], fmax(point->y, point->predicted));
        }
    }
}

/* Lines that have a prediction, as a list of indices: gnuplot complains of empty ones. */
static void list_predicted(const struct chart_line *lines, size_t n, char *list, size_t room) {
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (size_t k = 0; k < lines[i].n; k++)
            any = any || isfinite(lines[i].points[k].predicted);
        if (any)
            append_number(list, room, (unsigned)i);
    }
}

static enum status draw_lines(struct album *album, const struct chart_kind *kind,
                              const struct chart_page *page, size_t first, size_t number) {
    const size_t left = page->n - first, n = left < CHART_LINES ? left : CHART_LINES;
    struct picture picture = {.name = kind->name, .page = number};
    snprintf(picture.title, sizeof picture.title, "%s%s%s", kind->title, *page->title ? ": " : "",
             page->title);
    choose_styles(page->lines + first, n, strcmp(kind->line_params[0], "method") == 0, &picture);
    FILE *out = draw_data(album, &picture);
    if (!out)
        return ST_ENV;
    double x[2], y[2];
    write_lines(out, page->lines + first, n, x, y);
    if (fclose(out) != 0)
        return fail(ST_ENV, "%s: %s", album->options->out_dir, strerror(errno));
    /* a little room on either side, and a range when there is but one x */
    snprintf(picture.extra, LABEL_ROOM, "%.9g %.9g %.9g %.9g", x[0] / 1.2, x[1] * 1.2, y[0], y[1]);
    list_predicted(page->lines + first, n, picture.extra, LABEL_ROOM);
    return draw_picture(album, &picture);
}

enum status draw_chart(struct album *album, const struct chart_kind *kind,
                       const struct chart *chart) {
    size_t number = 0;
    for (size_t p = 0; p < chart->n; p++) {
        for (size_t first = 0; first < chart->pages[p].n; first += CHART_LINES) {
            const enum status st = draw_lines(album, kind, &chart->pages[p], first, number++);
            if (st != ST_OK)
                return st;
        }
    }
    return ST_OK;
}
