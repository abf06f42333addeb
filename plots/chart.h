/* Line charts: records sorted into pages (equal settings) of series (lines) of points. */
#ifndef SPB_PLOTS_CHART_H
#define SPB_PLOTS_CHART_H

#include "plots/gnuplot.h"
#include "plots/plot.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A field of a record: section and key as record_num() takes them. */
struct chart_field {
    const char *section, *key;
};

/* Lists of params have room for so many, and end with NULL. */
enum { CHART_PARAMS = 16, PARAM_LIST = CHART_PARAMS + 1 };

/* One kind of line chart. */
struct chart_kind {
    const char *name; /* of the files, and of its script NAME.gp */
    const char *kind; /* of records */
    const char *title;
    struct chart_field x, y, predicted; /* predicted.key NULL: none */
    const char *with, *without;         /* only records that have, or lack, this param; NULL: all */
    bool is_rate;                       /* y goes with 1 / time: the time's interval gives y's */
    const char *const *page_params;     /* equal on a page, named in its title; NULL: the problem */
    const char *const *line_params;     /* name a line; the first one gives its colour */
    const char *const *extra_params;    /* name it too where they tell lines apart */
};

struct chart_point {
    double x, y, low, high, predicted; /* predicted NAN: unknown */
};

struct chart_line {
    char label[LABEL_ROOM], colour_key[LABEL_ROOM], style_key[LABEL_ROOM];
    struct chart_point *points;
    size_t n;
};

struct chart_page {
    char title[LABEL_ROOM];
    struct chart_line *lines;
    size_t n;
};

struct chart {
    struct chart_page *pages;
    size_t n;
};

/* Values beyond these are no measurement, and gnuplot cannot draw them: left out. */
#define CHART_MIN 1e-15
#define CHART_MAX 1e20

/* More lines than these go to a further page: a longer legend cannot be read. */
enum { CHART_LINES = 12 };

/* Sorts records (an array) into *chart. ST_ENV when out of memory; chart_free() in any case. */
enum status chart_collect(const json_t *records, const struct chart_kind *kind,
                          struct chart *chart);
void chart_free(struct chart *chart);

/* "llama-3.1-8b, fwdbwd, dp 2": values of the params that the record has, as a label. Numbers carry
 * their name; a 0 says that something is not so, which needs no word. params NULL: those of
 * problem_param(). chosen[i]: is the i-th param wanted? NULL: all are. */
void chart_describe(const json_t *record, const char *const *params, const bool *chosen,
                    char out[LABEL_ROOM]);

/* Marks the params of which two records have different values. */
void chart_mark_differences(const json_t *a, const json_t *b, const char *const *params,
                            bool marks[CHART_PARAMS]);

/* "8 Ki": powers of 1024 where they are whole. */
void chart_count(char *out, size_t room, double value);

#endif
