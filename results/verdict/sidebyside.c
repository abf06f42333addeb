#include "results/verdict/sidebyside.h"

#include "results/record/fields.h"
#include "results/record/record.h"
#include "results/text/columns.h"
#include "results/verdict/side_table.h"
#include "results/verdict/verdict.h"

#include <stdlib.h>
#include <string.h>

static const char *const method_names[SIDES] = {"ulysses", "ring"};

/* What exchanges and attention are made with: equal in a table, and without meaning on one rank. */
static const char *exchange_param(size_t i) {
    static const char *const params[] = {"placement", "transport", "grad_dtype", "overlap",
                                         "kernel"};
    return i < sizeof params / sizeof params[0] ? params[i] : NULL;
}

struct sides {
    struct side_pair *pairs;
    size_t n;
    size_t wrong; /* records left out */
};

static void add_values(json_t *key, const json_t *record, const char *param(size_t i)) {
    for (size_t i = 0; param(i); i++) {
        json_t *value = json_object_get(json_object_get(record, "params"), param(i));
        const bool is_zero = json_is_integer(value) && json_integer_value(value) == 0;
        json_array_append(key, value && !is_zero ? value : json_null()); /* 0 is "not so" */
    }
}

/* The problem as text, or with exchanges the series; owned by the caller. Equal text, equal series.
 * NULL when out of memory. */
static char *text_of(const json_t *record, bool exchanges) {
    json_t *key = json_array();
    add_values(key, record, problem_param);
    if (exchanges)
        add_values(key, record, exchange_param);
    char *text = json_dumps(key, JSON_COMPACT);
    json_decref(key);
    return text;
}

static int method_of(const json_t *record) {
    const char *method = record_str(record, "params", "method");
    for (int side = 0; method && side < SIDES; side++)
        if (strcmp(method, method_names[side]) == 0)
            return side;
    return -1;
}

static bool is_attn(const json_t *record) {
    const char *kind = record_str(record, NULL, "kind");
    return kind && strcmp(kind, "attn") == 0;
}

/* Takes series. The pair of that problem, made when it is new; NULL when out of memory. */
static struct side_pair *find_pair(struct sides *sides, char *series, double seq, double sp) {
    for (size_t i = 0; i < sides->n; i++) {
        struct side_pair *pair = &sides->pairs[i];
        if (pair->seq < seq || pair->seq > seq || pair->sp < sp || pair->sp > sp ||
            strcmp(pair->series, series) != 0)
            continue;
        free(series);
        return pair;
    }
    struct side_pair *more = realloc(sides->pairs, (sides->n + 1) * sizeof *more);
    if (!more) {
        free(series);
        return NULL;
    }
    sides->pairs = more;
    more[sides->n] = (struct side_pair){.series = series, .seq = seq, .sp = sp};
    return &more[sides->n++];
}

/* Does the new record take the place of the old one: a repetition, or a faster variant? */
static bool replaces(const json_t *old, const struct summary *old_time, const json_t *new,
                     const struct summary *new_time) {
    if (!old)
        return true;
    const char *a = record_str(old, NULL, "case"), *b = record_str(new, NULL, "case");
    return (a && b && strcmp(a, b) == 0) || new_time->median < old_time->median;
}

static enum status add_record(struct sides *sides, const json_t *record) {
    const int side = method_of(record);
    struct summary time;
    double seq, sp;
    if (side < 0 || !record_time_read(record, &time) || time.median <= 0.0 ||
        !record_num(record, "params", "seq", &seq) ||
        !record_num(record, "params", "sp_size", &sp) || sp < 2.0)
        return ST_OK; /* one rank exchanges with nobody: a base for speed-ups, no case of either */
    if (record_is_wrong(record)) {
        sides->wrong++;
        return ST_OK;
    }
    char *series = text_of(record, true);
    struct side_pair *pair = series ? find_pair(sides, series, seq, sp) : NULL;
    if (!pair)
        return fail(ST_ENV, "out of memory comparing methods");
    if (replaces(pair->record[side], &pair->time[side], record, &time)) {
        pair->record[side] = record;
        pair->time[side] = time;
    }
    return ST_OK;
}

/* The record of the same problem on one rank per group: the local method's, else the fastest; NULL
 * when it was not measured. */
static const json_t *sp1_base(const json_t *records, const json_t *of) {
    char *problem = text_of(of, false);
    const json_t *best = NULL;
    bool is_local = false;
    double at_seq = 0.0;
    record_num(of, "params", "seq", &at_seq);
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        double seq, sp;
        if (!problem || !is_attn(record) || record_is_wrong(record) ||
            !record_num(record, "params", "seq", &seq) || seq < at_seq || seq > at_seq ||
            !record_num(record, "params", "sp_size", &sp) || sp < 1.0 || sp > 1.0 ||
            side_rate(record) <= 0.0)
            continue;
        char *other = text_of(record, false);
        const bool same = other && strcmp(other, problem) == 0;
        free(other);
        const char *method = record_str(record, "params", "method");
        const bool local = method && strcmp(method, "local") == 0;
        if (!same || (is_local && !local) ||
            (best && local == is_local && side_rate(record) <= side_rate(best)))
            continue;
        best = record;
        is_local = local;
    }
    free(problem);
    return best;
}

double speedup_vs_sp1(const json_t *records, const json_t *record) {
    double sp;
    if (!is_attn(record) || !record_num(record, "params", "sp_size", &sp) || sp < 2.0)
        return 0.0;
    const json_t *base = sp1_base(records, record);
    return base ? side_rate(record) / side_rate(base) : 0.0;
}

static const json_t *either(const struct side_pair *pair) {
    return pair->record[SIDE_ULYSSES] ? pair->record[SIDE_ULYSSES] : pair->record[SIDE_RING];
}

static void find_bases(struct sides *sides, const json_t *records) {
    for (size_t i = 0; i < sides->n; i++)
        sides->pairs[i].base = sp1_base(records, either(&sides->pairs[i]));
}

static int by_series(const void *a, const void *b) {
    const struct side_pair *x = a, *y = b;
    const int series = strcmp(x->series, y->series);
    if (series != 0)
        return series;
    if (x->sp < y->sp || x->sp > y->sp)
        return x->sp < y->sp ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* "causal", "heads 32", or with its name "transport mpi"; a 0 says that something is not so, which
 * needs no word. */
static bool param_text(const json_t *record, const char *key, bool named, char out[CELL_ROOM]) {
    const char *text = record_str(record, "params", key);
    double number = 0.0;
    if (text)
        snprintf(out, CELL_ROOM, "%s%s%s", named ? key : "", named ? " " : "", text);
    else if (record_num(record, "params", key, &number) && number > 0.0)
        snprintf(out, CELL_ROOM, "%s %.0f", key, number);
    else
        return false;
    return true;
}

/* Appends the record's params to a caption; separator stands before the first one, a comma between.
 */
static void print_params(const json_t *record, const char *param(size_t i), const char *separator,
                         bool named, bool markdown, FILE *out) {
    for (size_t i = 0; param(i); i++) {
        char word[CELL_ROOM];
        if (!param_text(record, param(i), named, word))
            continue;
        fputs(separator, out);
        separator = ", ";
        if (markdown)
            columns_md(out, word);
        else
            columns_pad(out, word, 0, true);
    }
}

/* Of pairs[n], one series. */
static void print_caption(const struct side_pair *pairs, size_t n, bool markdown, FILE *out) {
    const bool ulysses = side_measured(pairs, n, SIDE_ULYSSES),
               ring = side_measured(pairs, n, SIDE_RING);
    fprintf(out, "\n%s%s:", markdown ? "### " : "",
            ulysses && ring ? "Ulysses | Ring"
            : ulysses       ? "Ulysses against sp 1"
                            : "Ring against sp 1");
    print_params(either(pairs), problem_param, " ", false, markdown, out);
    print_params(either(pairs), exchange_param, ", ", true, markdown, out);
    fputs("\n\n", out);
}

/* Is there something to compare: the methods, or one of them with what one rank does? */
static bool compares(const struct side_pair *pairs, size_t n) {
    bool based = false;
    for (size_t i = 0; i < n; i++)
        based = based || pairs[i].base;
    return based || (side_measured(pairs, n, SIDE_ULYSSES) && side_measured(pairs, n, SIDE_RING));
}

static void print_all(const struct sides *sides, bool markdown, FILE *out) {
    for (size_t i = 0, j; i < sides->n; i = j) {
        const struct side_pair *pair = &sides->pairs[i];
        for (j = i; j < sides->n && strcmp(sides->pairs[j].series, pair->series) == 0;)
            j++;
        if (!compares(pair, j - i))
            continue;
        print_caption(pair, j - i, markdown, out);
        side_table(pair, j - i, markdown, out);
        side_verdict(pair, j - i, markdown, out);
    }
    if (sides->wrong > 0)
        fprintf(out, "\n%zu record%s left out: the result was verified and is wrong.\n",
                sides->wrong, sides->wrong == 1 ? " is" : "s are");
}

enum status sidebyside_print(const json_t *records, bool markdown, FILE *out) {
    struct sides sides = {0};
    enum status st = ST_OK;
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        if (st == ST_OK && is_attn(record))
            st = add_record(&sides, record);
    }
    if (st == ST_OK) {
        find_bases(&sides, records);
        if (sides.n > 0)
            qsort(sides.pairs, sides.n, sizeof *sides.pairs, by_series);
        print_all(&sides, markdown, out);
    }
    for (size_t k = 0; k < sides.n; k++)
        free(sides.pairs[k].series);
    free(sides.pairs);
    return st;
}
