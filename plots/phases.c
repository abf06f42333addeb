#include "plots/phases.h"

#include "plots/kinds.h"
#include "results/record/record.h"
#include "results/text/format.h"
#include "results/verdict/phase_class.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BARS = 16 };

static const char *const bar_params[] = {"method", NULL};

struct bar {
    const json_t *record; /* borrowed */
    char page[LABEL_ROOM], name[LABEL_ROOM], variant[LABEL_ROOM];
    double seq, sp, seconds[PHASE_CLASSES], total;
};

struct bars {
    struct bar *bar;
    size_t n;
};

static bool read_bar(const json_t *record, struct bar *bar) {
    const char *kind = record_str(record, NULL, "kind");
    *bar = (struct bar){.record = record};
    if (!kind || strcmp(kind, "attn") != 0 || record_is_wrong(record) ||
        !record_num(record, "params", "seq", &bar->seq) ||
        !record_num(record, "params", "sp_size", &bar->sp) ||
        !phase_class_times(record, bar->seconds))
        return false;
    for (int c = 0; c < PHASE_CLASSES; c++)
        bar->total += bar->seconds[c];
    char seq[32], setting[LABEL_ROOM];
    chart_count(seq, sizeof seq, bar->seq);
    chart_describe(record, NULL, NULL, setting);
    snprintf(bar->page, sizeof bar->page, "%.20s tokens, %.130s", seq, setting);
    chart_describe(record, bar_params, NULL, bar->name);
    chart_describe(record, attn_extra_params, NULL, bar->variant);
    return bar->total >= CHART_MIN && bar->total <= CHART_MAX;
}

/* Pages with the longest sequence first, it says most; then groups by sp_size; then methods in
 * alphabetical order backwards, so that ulysses stands before ring. */
static int by_place(const void *a, const void *b) {
    const struct bar *x = a, *y = b;
    const int page = strcmp(x->page, y->page), name = strcmp(y->name, x->name);
    if (x->seq < y->seq || x->seq > y->seq)
        return x->seq < y->seq ? 1 : -1;
    if (page != 0)
        return page;
    if (x->sp < y->sp || x->sp > y->sp)
        return x->sp < y->sp ? -1 : 1;
    return name ? name : strcmp(x->variant, y->variant);
}

static bool same_group(const struct bar *a, const struct bar *b) {
    return strcmp(a->page, b->page) == 0 && a->sp >= b->sp && a->sp <= b->sp;
}

/* Of a repeated case the last record counts. */
static enum status add_bar(struct bars *bars, const struct bar *bar) {
    for (size_t i = 0; i < bars->n; i++)
        if (by_place(&bars->bar[i], bar) == 0) {
            bars->bar[i] = *bar;
            return ST_OK;
        }
    struct bar *more = realloc(bars->bar, (bars->n + 1) * sizeof *more);
    if (!more)
        return fail(ST_ENV, "out of memory for a picture");
    bars->bar = more;
    more[bars->n++] = *bar;
    return ST_OK;
}

/* Where bars stand: groups are one bar's width apart. */
static void place(const struct bar *bar, size_t n, double *x) {
    double at = 1.0;
    for (size_t i = 0; i < n; i++) {
        at += i > 0 && !same_group(&bar[i - 1], &bar[i]) ? 1.0 : 0.0;
        x[i] = at;
        at += 1.0;
    }
}

/* Stacks the classes that any bar has, one gnuplot index each. */
static void write_classes(FILE *out, const struct bar *bar, size_t n, const double *x, double scale,
                          struct picture *picture) {
    /* Of the palette all but its orange (5), which is the vermilion of all-to-alls to many. */
    static const unsigned colours[PHASE_CLASSES] = {
        [CLASS_ATTENTION] = 1, [CLASS_PROJECTIONS] = 6, [CLASS_ELEMENTWISE] = 3,
        [CLASS_PACKING] = 7,   [CLASS_ALLTOALL] = 2,    [CLASS_HOPS] = 4,
        [CLASS_GATHER] = 0,    [CLASS_PARAMETERS] = 8,  [CLASS_OTHER] = 9,
    };
    double base[PAGE_BARS] = {0};
    for (int c = 0; c < PHASE_CLASSES; c++) {
        double all = 0.0;
        for (size_t i = 0; i < n; i++)
            all += bar[i].seconds[c];
        if (all <= 0.0)
            continue;
        fprintf(out, "\"%s\"\n", phase_class_name((enum phase_class)c));
        for (size_t i = 0; i < n; i++) {
            const double top = base[i] + bar[i].seconds[c] * scale;
            fprintf(out, "%.3f %.9g %.9g\n", x[i], base[i], top);
            base[i] = top;
        }
        fputs("\n\n", out);
        const size_t used = strlen(picture->colours);
        snprintf(picture->colours + used, sizeof picture->colours - used, "%s%u", used ? " " : "",
                 colours[c]);
    }
}

/* What tells a bar from others of its group that have its name; empty: there are none. */
static void describe_variant(const struct bar *bar, size_t n, size_t i, char out[LABEL_ROOM]) {
    bool differs[CHART_PARAMS] = {false};
    for (size_t k = 0; k < n; k++)
        if (same_group(&bar[k], &bar[i]) && strcmp(bar[k].name, bar[i].name) == 0)
            chart_mark_differences(bar[i].record, bar[k].record, attn_extra_params, differs);
    chart_describe(bar[i].record, attn_extra_params, differs, out);
}

/* Names and totals of bars, then names of groups. True when a name is too long to stand level. */
static bool write_names(FILE *out, const struct bar *bar, size_t n, const double *x, double scale) {
    bool is_long = n > 10;
    for (size_t i = 0; i < n; i++) {
        char total[FORMAT_ROOM], variant[LABEL_ROOM];
        describe_variant(bar, n, i, variant);
        const bool longer = *variant;
        is_long = is_long || longer;
        fprintf(out, "%.3f \"%s%s%s\" %.9g \"%s\"\n", x[i], bar[i].name, longer ? ", " : "",
                variant, bar[i].total * scale, format_number(total, bar[i].total * scale));
    }
    fputs("\n\n", out);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && same_group(&bar[i], &bar[j]);)
            j++;
        fprintf(out, "%.3f \"sp %.0f\"\n", 0.5 * (x[i] + x[j - 1]), bar[i].sp);
    }
    return is_long;
}

static enum status draw_page(struct album *album, const struct bar *bar, size_t n, size_t page) {
    static const struct {
        double at_least, scale;
        const char *name;
    } units[] = {{1.0, 1.0, "s"}, {1e-3, 1e3, "ms"}, {0.0, 1e6, "us"}};
    struct picture picture = {.name = "phases", .page = page, .styles = "0"};
    double x[PAGE_BARS], top = 0.0;
    size_t unit = 0;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, bar[i].total);
    while (top < units[unit].at_least)
        unit++;
    place(bar, n, x);
    snprintf(picture.title, sizeof picture.title, "Time by phase: %s", bar->page);
    FILE *out = draw_data(album, &picture);
    if (!out)
        return ST_ENV;
    write_classes(out, bar, n, x, units[unit].scale, &picture);
    const bool turned = write_names(out, bar, n, x, units[unit].scale);
    if (fclose(out) != 0)
        return fail(ST_ENV, "%s: %s", album->options->out_dir, strerror(errno));
    /* few bars stay narrow: a range of eight bars at least, about the middle */
    const double middle = 0.5 * (x[0] + x[n - 1]), half = fmax(0.5 * (x[n - 1] - x[0]) + 1.0, 4.0);
    snprintf(picture.extra, LABEL_ROOM, "%.3f %.3f %s %.9g %d", middle - half, middle + half,
             units[unit].name, top * units[unit].scale, turned ? 30 : 0);
    return draw_picture(album, &picture);
}

/* How many bars from here stand on one page: whole groups while they fit. */
static size_t page_length(const struct bar *bar, size_t n) {
    size_t fits = 0;
    for (size_t i = 1; i <= n && i <= PAGE_BARS; i++) {
        const bool ends = i == n || strcmp(bar[i].page, bar[0].page) != 0;
        if (ends || !same_group(&bar[i - 1], &bar[i]))
            fits = i;
        if (ends)
            break;
    }
    return fits > 0 ? fits : PAGE_BARS; /* a group longer than a page is cut */
}

enum status draw_phases(struct album *album, const json_t *records) {
    struct bars bars = {0};
    enum status st = ST_OK;
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        struct bar bar;
        if (st == ST_OK && read_bar(record, &bar))
            st = add_bar(&bars, &bar);
    }
    if (bars.n > 0)
        qsort(bars.bar, bars.n, sizeof *bars.bar, by_place);
    for (size_t first = 0, page = 0, n; st == ST_OK && first < bars.n; first += n) {
        n = page_length(bars.bar + first, bars.n - first);
        st = draw_page(album, bars.bar + first, n, page++);
    }
    if (st == ST_OK && bars.n == 0)
        note("picture phases: skipped, no attn record has phases");
    free(bars.bar);
    return st;
}
