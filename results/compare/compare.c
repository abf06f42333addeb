#include "results/compare/compare.h"

#include "base/output.h"

#include "results/compare/row.h"
#include "results/record/record.h"
#include "results/text/case_label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASE, NEW };

struct rows {
    struct compare_row *row;
    size_t n;
};

static struct compare_row *find_row(struct rows *rows, const char *name) {
    for (size_t i = 0; i < rows->n; i++)
        if (strcmp(rows->row[i].name, name) == 0)
            return &rows->row[i];
    struct compare_row *more = realloc(rows->row, (rows->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    rows->row = more;
    more[rows->n] = (struct compare_row){.name = name};
    return &more[rows->n++];
}

/* Adds a record's samples to what its case already has. */
static enum status pool(struct compare_row *row, int side, const json_t *record) {
    const json_t *samples = json_object_get(record, "samples_s");
    const size_t n = json_array_size(samples), had = row->count[side];
    if (n == 0)
        return ST_OK;
    double *more = realloc(row->samples[side], (had + n) * sizeof *more);
    if (!more)
        return fail(ST_ENV, "out of memory comparing records");
    row->samples[side] = more;
    row->count[side] = had + n;
    for (size_t i = 0; i < n; i++)
        more[had + i] = json_number_value(json_array_get(samples, i));
    return ST_OK;
}

static enum status add_side(struct rows *rows, int side, const json_t *records) {
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        const char *name = record_str(record, NULL, "case");
        if (!name)
            continue;
        struct compare_row *row = find_row(rows, name);
        if (!row)
            return fail(ST_ENV, "out of memory comparing records");
        row->seen[side] = true;
        if (record_is_wrong(record)) {
            row->new_is_wrong |= side == NEW;
            if (side == BASE)
                warn("BASE has a wrong result, its samples are left out: %s", name);
            continue;
        }
        const enum status st = pool(row, side, record);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static bool enough(const struct compare_row *row) {
    return row->count[BASE] >= STATS_CI_SAMPLES && row->count[NEW] >= STATS_CI_SAMPLES &&
           stats_mann_whitney_min_p(row->count[BASE], row->count[NEW]) < COMPARE_ALPHA;
}

static enum status test_row(struct compare_row *row, double threshold) {
    for (int side = BASE; side <= NEW; side++) {
        if (row->count[side] == 0)
            continue;
        const enum status st =
            stats_summarise(row->samples[side], row->count[side], &row->times[side]);
        if (st != ST_OK)
            return st;
    }
    row->verdict = COMPARE_INCONCLUSIVE;
    if (!enough(row) || row->times[BASE].median <= 0.0)
        return ST_OK;
    struct rank_test slower, faster;
    enum status st = stats_mann_whitney(row->samples[BASE], row->count[BASE], row->samples[NEW],
                                        row->count[NEW], &slower);
    if (st == ST_OK)
        st = stats_mann_whitney(row->samples[NEW], row->count[NEW], row->samples[BASE],
                                row->count[BASE], &faster);
    if (st != ST_OK)
        return st;
    row->tested = true;
    row->change = row->times[NEW].median / row->times[BASE].median - 1.0;
    row->p = row->change >= 0.0 ? slower.p : faster.p;
    row->verdict = fabs(row->change) <= threshold ? COMPARE_SAME
                   : row->p >= COMPARE_ALPHA      ? COMPARE_NOT_SIGNIFICANT
                   : row->change > 0.0            ? COMPARE_REGRESSION
                                                  : COMPARE_IMPROVEMENT;
    return ST_OK;
}

static enum status judge(struct compare_row *row, double threshold) {
    enum status st = ST_OK;
    if (row->seen[BASE] && row->seen[NEW])
        st = test_row(row, threshold);
    else
        row->verdict = row->seen[BASE] ? COMPARE_ONLY_BASE : COMPARE_ONLY_NEW;
    if (row->new_is_wrong)
        row->verdict = COMPARE_WRONG;
    return st;
}

static enum status label_rows(struct rows *rows) {
    const char **names = calloc(rows->n + 1, sizeof *names);
    for (size_t i = 0; names && i < rows->n; i++)
        names[i] = rows->row[i].name;
    json_t *differences = names ? case_differences(names, rows->n) : NULL;
    bool done = differences;
    for (size_t i = 0; done && i < rows->n; i++) {
        rows->row[i].label = case_label(differences, rows->row[i].name);
        done = rows->row[i].label;
    }
    json_decref(differences);
    free(names);
    return done ? ST_OK : fail(ST_ENV, "out of memory comparing records");
}

/* The fingerprint of the first record of that case. */
static const json_t *fingerprint_of(const json_t *records, const char *name) {
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        const char *other = record_str(record, NULL, "case");
        if (other && strcmp(other, name) == 0)
            return json_object_get(record, "fingerprint");
    }
    return NULL;
}

/* Marks in names every field in which two fingerprints differ. */
static void note_differences(json_t *names, const json_t *a, const json_t *b) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value) {
        if (strcmp(key, "id") != 0 && !json_equal(value, json_object_get(b, key)))
            json_object_set_new(names, key, json_true());
    }
}

static void warn_of_fingerprints(const struct rows *rows, const json_t *base, const json_t *new) {
    json_t *names = json_object();
    size_t pairs = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct compare_row *row = &rows->row[i];
        if (!row->seen[BASE] || !row->seen[NEW])
            continue;
        const json_t *a = fingerprint_of(base, row->name), *b = fingerprint_of(new, row->name);
        const json_t *id = json_object_get(a, "id");
        if (json_equal(id, json_object_get(b, "id")) || (!a && !b))
            continue;
        pairs++;
        note_differences(names, a, b);
        note_differences(names, b, a);
    }
    char list[256] = "";
    size_t used = 0;
    const char *key;
    json_t *value;
    json_object_foreach(names, key, value) {
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", used ? ", " : "", key);
    }
    if (pairs > 0)
        warn("BASE and NEW were measured on different ground in %zu case%s: %s; a change may come "
             "from there",
             pairs, pairs == 1 ? "" : "s", used ? list : "fingerprint id");
    json_decref(names);
}

static enum status overall(const struct rows *rows) {
    size_t count[COMPARE_VERDICTS] = {0}, pairs = 0;
    for (size_t i = 0; i < rows->n; i++) {
        count[rows->row[i].verdict]++;
        pairs += rows->row[i].seen[BASE] && rows->row[i].seen[NEW];
    }
    if (count[COMPARE_WRONG] > 0)
        return fail(ST_WRONG, "NEW has %zu case%s whose result is wrong", count[COMPARE_WRONG],
                    count[COMPARE_WRONG] == 1 ? "" : "s");
    if (pairs == 0)
        return fail(ST_USAGE, "no case is in both BASE and NEW; run the same options twice");
    if (count[COMPARE_INCONCLUSIVE] > 0)
        warn("%zu case%s could not be decided: at least %d samples are needed on either side",
             count[COMPARE_INCONCLUSIVE], count[COMPARE_INCONCLUSIVE] == 1 ? "" : "s",
             STATS_CI_SAMPLES);
    if (count[COMPARE_REGRESSION] > 0)
        return ST_REGRESSION;
    return count[COMPARE_INCONCLUSIVE] > 0 ? ST_INCONCLUSIVE : ST_OK;
}

enum status compare_records(const json_t *base, const json_t *new_records,
                            const struct compare_options *options, FILE *out) {
    if (!(options->threshold >= 0.0) || !isfinite(options->threshold))
        return fail(ST_USAGE, "threshold %g must not be negative", options->threshold);
    struct rows rows = {0};
    enum status st = add_side(&rows, BASE, base);
    if (st == ST_OK)
        st = add_side(&rows, NEW, new_records);
    for (size_t i = 0; st == ST_OK && i < rows.n; i++)
        st = judge(&rows.row[i], options->threshold);
    if (st == ST_OK)
        st = label_rows(&rows);
    if (st == ST_OK) {
        warn_of_fingerprints(&rows, base, new_records);
        options->printer->print(rows.row, rows.n, options, out);
        st = overall(&rows);
    }
    for (size_t i = 0; i < rows.n; i++) {
        free(rows.row[i].samples[BASE]);
        free(rows.row[i].samples[NEW]);
        free(rows.row[i].label);
    }
    free(rows.row);
    return fflush(out) == 0 ? st : output_failed(out, "the comparison");
}

enum status compare_paths(const char *base, const char *new_path,
                          const struct compare_options *options, FILE *out) {
    json_t *base_records = NULL, *new_records = NULL;
    enum status st = records_load(base, &base_records);
    if (st == ST_OK)
        st = records_load(new_path, &new_records);
    if (st == ST_OK)
        st = compare_records(base_records, new_records, options, out);
    json_decref(base_records);
    json_decref(new_records);
    return st;
}
