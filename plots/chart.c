#include "plots/chart.h"

#include "results/record/fields.h"
#include "results/record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void chart_count(char *out, size_t room, double value) {
    static const char *const prefixes[] = {"", " Ki", " Mi", " Gi"};
    size_t i = 0;
    for (; i < 3 && value >= 1024.0 && fmod(value, 1024.0) <= 0.0; i++)
        value /= 1024.0;
    snprintf(out, room, "%.0f%s", value, prefixes[i]);
}

/* What numbers are called in labels; others keep their key. */
static const char *short_name(const char *key) {
    static const char *const names[][2] = {
        {"sp_size", "sp"},     {"dp_shard_size", "dp"}, {"world_size", "ranks"},
        {"ulysses_size", "U"}, {"ring_size", "R"},      {"core_only", "core only"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return key;
}

void chart_describe(const json_t *record, const char *const *params, const bool *chosen,
                    char out[LABEL_ROOM]) {
    char text[2 * LABEL_ROOM] = "";
    size_t used = 0;
    const char *key;
    for (size_t i = 0; (key = params ? params[i] : problem_param(i)) && used < sizeof text; i++) {
        const char *word = record_str(record, "params", key);
        const char *comma = used ? ", " : "";
        double number = 0.0;
        if (chosen && !chosen[i])
            continue;
        if (word)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", comma, word);
        else if (record_num(record, "params", key, &number) && fabs(number) > 0.0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.0f", comma,
                                     short_name(key), number);
    }
    gnuplot_label(out, LABEL_ROOM, text);
}

void chart_mark_differences(const json_t *a, const json_t *b, const char *const *params,
                            bool marks[CHART_PARAMS]) {
    const json_t *of_a = json_object_get(a, "params"), *of_b = json_object_get(b, "params");
    for (size_t i = 0; params[i]; i++) {
        const json_t *x = json_object_get(of_a, params[i]), *y = json_object_get(of_b, params[i]);
        marks[i] = marks[i] || ((x || y) && !json_equal(x, y));
    }
}

static bool belongs(const json_t *record, const struct chart_kind *kind) {
    const char *name = record_str(record, NULL, "kind");
    const json_t *params = json_object_get(record, "params");
    return name && strcmp(name, kind->kind) == 0 && !record_is_wrong(record) &&
           (!kind->with || json_object_get(params, kind->with)) &&
           (!kind->without || !json_object_get(params, kind->without));
}

static bool drawable(double value) {
    return value >= CHART_MIN && value <= CHART_MAX;
}

/* Reads a record's point; false when it has none that can be drawn. */
static bool read_point(const json_t *record, const struct chart_kind *kind,
                       struct chart_point *point) {
    if (!record_num(record, kind->x.section, kind->x.key, &point->x) ||
        !record_num(record, kind->y.section, kind->y.key, &point->y) || !drawable(point->x) ||
        !drawable(point->y))
        return false;
    point->low = point->high = point->y;
    point->predicted = NAN;
    if (kind->predicted.key &&
        (!record_num(record, kind->predicted.section, kind->predicted.key, &point->predicted) ||
         !drawable(point->predicted)))
        point->predicted = NAN;
    struct summary time;
    if (kind->is_rate && record_time_read(record, &time) && time.has_ci95 && time.ci95_lo > 0.0) {
        point->low = point->y * time.median / time.ci95_hi;
        point->high = point->y * time.median / time.ci95_lo;
        if (!drawable(point->low) || !drawable(point->high))
            point->low = point->high = point->y;
    }
    return true;
}

/* Grows an array by one zeroed element; NULL when out of memory. */
static void *grow(void *array, size_t *n, size_t size) {
    char *more = realloc(array, (*n + 1) * size);
    if (more)
        memset(more + (*n)++ * size, 0, size);
    return more;
}

static struct chart_page *find_page(struct chart *chart, const char *title) {
    for (size_t i = 0; i < chart->n; i++)
        if (strcmp(chart->pages[i].title, title) == 0)
            return &chart->pages[i];
    struct chart_page *more = grow(chart->pages, &chart->n, sizeof *more);
    if (!more)
        return NULL;
    chart->pages = more;
    snprintf(more[chart->n - 1].title, LABEL_ROOM, "%s", title);
    return &more[chart->n - 1];
}

static struct chart_line *find_line(struct chart_page *page, const char *label) {
    for (size_t i = 0; i < page->n; i++)
        if (strcmp(page->lines[i].label, label) == 0)
            return &page->lines[i];
    struct chart_line *more = grow(page->lines, &page->n, sizeof *more);
    if (!more)
        return NULL;
    page->lines = more;
    gnuplot_label(more[page->n - 1].label, LABEL_ROOM, label); /* which also cuts */
    return &more[page->n - 1];
}

/* What tells a record from others on its page that have its base name: short legends leave out what
 * all of them share. */
static void describe_extra(const json_t *records, const json_t *record,
                           const struct chart_kind *kind, const char *title, const char *base,
                           char out[LABEL_ROOM]) {
    bool differs[CHART_PARAMS] = {false};
    size_t i;
    json_t *other;
    json_array_foreach(records, i, other) {
        char other_title[LABEL_ROOM], other_base[LABEL_ROOM];
        if (!belongs(other, kind))
            continue;
        chart_describe(other, kind->page_params, NULL, other_title);
        chart_describe(other, kind->line_params, NULL, other_base);
        if (strcmp(other_title, title) == 0 && strcmp(other_base, base) == 0)
            chart_mark_differences(record, other, kind->extra_params, differs);
    }
    chart_describe(record, kind->extra_params, differs, out);
}

/* Of several records of one point the last counts, as in a run that was repeated. */
static enum status add_point(struct chart_line *line, const struct chart_point *point) {
    for (size_t i = 0; i < line->n; i++)
        if (line->points[i].x >= point->x && line->points[i].x <= point->x) {
            line->points[i] = *point;
            return ST_OK;
        }
    struct chart_point *more = grow(line->points, &line->n, sizeof *more);
    if (!more)
        return fail(ST_ENV, "out of memory for a picture");
    line->points = more;
    more[line->n - 1] = *point;
    return ST_OK;
}

static enum status add_record(const json_t *records, const json_t *record,
                              const struct chart_kind *kind, struct chart *chart) {
    struct chart_point point;
    if (!belongs(record, kind) || !read_point(record, kind, &point))
        return ST_OK;
    char title[LABEL_ROOM], base[LABEL_ROOM], extra[LABEL_ROOM], label[2 * LABEL_ROOM + 2];
    chart_describe(record, kind->page_params, NULL, title);
    chart_describe(record, kind->line_params, NULL, base);
    describe_extra(records, record, kind, title, base, extra);
    snprintf(label, sizeof label, "%s%s%s", base, *extra ? ", " : "", extra);
    label[LABEL_ROOM - 1] = '\0'; /* as find_line() keeps it */

    struct chart_page *page = find_page(chart, title);
    struct chart_line *line = page ? find_line(page, label) : NULL;
    if (!line)
        return fail(ST_ENV, "out of memory for a picture");
    const char *const first[] = {kind->line_params[0], NULL};
    chart_describe(record, first, NULL, line->colour_key);
    gnuplot_label(line->style_key, LABEL_ROOM, label + strlen(line->colour_key));
    return add_point(line, &point);
}

static int by_x(const void *a, const void *b) {
    const double x = ((const struct chart_point *)a)->x, y = ((const struct chart_point *)b)->x;
    return (x > y) - (x < y);
}

static int by_label(const void *a, const void *b) {
    return strverscmp(((const struct chart_line *)a)->label, ((const struct chart_line *)b)->label);
}

enum status chart_collect(const json_t *records, const struct chart_kind *kind,
                          struct chart *chart) {
    *chart = (struct chart){0};
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        const enum status st = add_record(records, record, kind, chart);
        if (st != ST_OK)
            return st;
    }
    for (size_t p = 0; p < chart->n; p++) {
        struct chart_page *page = &chart->pages[p];
        qsort(page->lines, page->n, sizeof *page->lines, by_label);
        for (size_t l = 0; l < page->n; l++)
            qsort(page->lines[l].points, page->lines[l].n, sizeof(struct chart_point), by_x);
    }
    return ST_OK;
}

void chart_free(struct chart *chart) {
    for (size_t p = 0; p < chart->n; p++) {
        for (size_t l = 0; l < chart->pages[p].n; l++)
            free(chart->pages[p].lines[l].points);
        free(chart->pages[p].lines);
    }
    free(chart->pages);
    *chart = (struct chart){0};
}
