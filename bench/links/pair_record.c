#include "bench/links/pair_record.h"

#include <math.h>
#include <stdlib.h>

#include "results/record/record.h"
#include "results/stats/link_fit.h"

static const char *const mode_names[PAIR_MODES] = {"isolated", "loaded"};
static const char *const direction_names[PAIR_DIRECTIONS] = {"one", "both"};

/* Median seconds of a pair's message of the index-th size; 0: not measured. */
static double seconds(const struct pair_report *r, int a, int b, enum pair_mode mode,
                      enum pair_direction direction, int index) {
    return r->times->results[pair_index(r->ranks, a, b)].median_s[mode][direction][index];
}

static bool measured(const struct pair_report *r, int a, int b, enum pair_mode mode) {
    return seconds(r, a, b, mode, PAIR_ONE, 0) > 0;
}

/* GB/s of a pair at the largest size. */
static double gb_s(const struct pair_report *r, int a, int b, enum pair_mode mode,
                   enum pair_direction direction) {
    const int top = r->n_sizes - 1;
    return (double)r->sizes[top] / seconds(r, a, b, mode, direction, top) / 1e9;
}

static enum link_class class_of(const struct pair_report *r, int a, int b) {
    return place_link(&r->places[a], &r->places[b]);
}

static json_t *pair_mode(const struct pair_report *r, int a, int b, enum pair_mode mode) {
    return json_pack("{s:f, s:f, s:f}", "latency_s", seconds(r, a, b, mode, PAIR_ONE, 0), "gb_s",
                     gb_s(r, a, b, mode, PAIR_ONE), "gb_s_both", gb_s(r, a, b, mode, PAIR_BOTH));
}

static void record_pair(const struct pair_report *r, int a, int b, json_t *record) {
    if (!measured(r, a, b, PAIR_LOADED))
        return;
    json_t *pair =
        json_pack("{s:i, s:i, s:s}", "a", a, "b", b, "class", link_class_name(class_of(r, a, b)));
    bool complete = pair != NULL;
    for (int mode = 0; mode < PAIR_MODES; mode++)
        if (measured(r, a, b, (enum pair_mode)mode) &&
            json_object_set_new(pair, mode_names[mode], pair_mode(r, a, b, (enum pair_mode)mode)) !=
                0)
            complete = false;
    if (!complete) {
        json_decref(pair);
        pair = NULL;
    }
    record_append(record, NULL, "pairs", pair);
}

/* The times of a class's pairs at one size; returns their number. */
static size_t collect(const struct pair_report *r, enum link_class class, enum pair_mode mode,
                      enum pair_direction direction, int index, double *out) {
    size_t n = 0;
    for (int a = 0; a < r->ranks; a++)
        for (int b = a + 1; b < r->ranks; b++)
            if (class_of(r, a, b) == class && measured(r, a, b, mode))
                out[n++] = seconds(r, a, b, mode, direction, index);
    return n;
}

/* One link class in one mode and direction: the median over its pairs at every size, the fastest
 * and the slowest pair, and the line through the medians. scratch: [pairs]. */
static json_t *make_link(const struct pair_report *r, enum link_class class, enum pair_mode mode,
                         enum pair_direction direction, double *scratch) {
    struct link_point points[PAIRS_SIZES];
    json_t *curve = json_array();
    size_t n = 0;
    for (int i = 0; i < r->n_sizes; i++) {
        struct summary s;
        n = collect(r, class, mode, direction, i, scratch);
        if (stats_summarise(scratch, n, &s) != ST_OK)
            break;
        double slowest = 0;
        for (size_t k = 0; k < n; k++)
            slowest = scratch[k] > slowest ? scratch[k] : slowest;
        points[i] = (struct link_point){(double)r->sizes[i], s.median};
        json_array_append_new(curve,
                              json_pack("{s:I, s:f, s:f, s:f}", "bytes", (json_int_t)r->sizes[i],
                                        "median_s", s.median, "min_s", s.min, "max_s", slowest));
    }
    if (json_array_size(curve) != (size_t)r->n_sizes) {
        json_decref(curve);
        return NULL;
    }
    json_t *link = json_pack("{s:s, s:I, s:s, s:s, s:o}", "class", link_class_name(class), "pairs",
                             (json_int_t)n, "mode", mode_names[mode], "direction",
                             direction_names[direction], "curve", curve);
    struct link_fit fit;
    if (link && link_fit(points, (size_t)r->n_sizes, &fit)) {
        json_object_set_new(link, "latency_s", json_real(fit.latency_s));
        json_object_set_new(link, "gb_s", json_real(fit.bytes_per_s / 1e9));
        json_object_set_new(link, "fit_rms_rel_error", json_real(fit.rms_rel_error));
        json_object_set_new(link, "fit_max_rel_error", json_real(fit.max_rel_error));
    }
    return link;
}

static void record_links(const struct pair_report *r, double *scratch, json_t *record) {
    for (int class = 0; class < LINK_CLASSES; class ++) {
        const enum link_class c = (enum link_class) class;
        if (collect(r, c, PAIR_ISOLATED, PAIR_ONE, 0, scratch) == 0)
            continue; /* and then none was loaded either */
        for (int mode = 0; mode < PAIR_MODES; mode++)
            for (int d = 0; d < PAIR_DIRECTIONS; d++)
                record_append(
                    record, NULL, "links",
                    make_link(r, c, (enum pair_mode)mode, (enum pair_direction)d, scratch));
    }
}

/* The lowest and the highest bandwidth of all pairs. */
static void record_extremes(const struct pair_report *r, json_t *record) {
    double worst = INFINITY, best = -INFINITY, loaded = INFINITY;
    for (int a = 0; a < r->ranks; a++)
        for (int b = a + 1; b < r->ranks; b++) {
            if (!measured(r, a, b, PAIR_ISOLATED))
                continue;
            const double alone = gb_s(r, a, b, PAIR_ISOLATED, PAIR_ONE);
            worst = fmin(worst, alone);
            best = fmax(best, alone);
            loaded = fmin(loaded, gb_s(r, a, b, PAIR_LOADED, PAIR_ONE));
        }
    record_metric(record, "worst_pair_gb_s", worst);
    record_metric(record, "best_pair_gb_s", best);
    record_metric(record, "worst_pair_loaded_gb_s", loaded);
}

enum status pair_record(const struct pair_report *r, json_t *record) {
    double *scratch = malloc(pair_count(r->ranks) * sizeof *scratch);
    if (!scratch)
        return fail(ST_ENV, "out of memory for the links of %d ranks", r->ranks);
    for (int a = 0; a < r->ranks; a++)
        for (int b = a + 1; b < r->ranks; b++)
            record_pair(r, a, b, record);
    record_links(r, scratch, record);
    record_extremes(r, record);
    free(scratch);
    return ST_OK;
}
