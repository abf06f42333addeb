#include "bench/links/pair_rates.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "results/record/record.h"

enum { MOST_RANKS = 1024 };

static const json_t *last_pairs(const json_t *records) {
    for (size_t i = json_array_size(records); i-- > 0;) {
        const json_t *record = json_array_get(records, i);
        const char *op = record_str(record, "params", "op");
        if (op && strcmp(op, "pairs") == 0 && json_is_array(json_object_get(record, "pairs")))
            return record;
    }
    return NULL;
}

static enum link_class class_of(const char *name) {
    int class = 0;
    while (class < LINK_CLASSES &&
           (!name || strcmp(link_class_name((enum link_class) class), name) != 0))
        class ++;
    return (enum link_class) class;
}

/* Enters one pair in both directions; false if it names no two ranks. */
static bool enter(const json_t *pair, struct pair_rates *rates, double *gb_s,
                  enum link_class *classes) {
    const json_t *a = json_object_get(pair, "a"), *b = json_object_get(pair, "b");
    const json_int_t n = rates->n, i = json_integer_value(a), j = json_integer_value(b);
    if (!json_is_integer(a) || !json_is_integer(b) || i < 0 || j < 0 || i >= n || j >= n || i == j)
        return false;
    const json_t *alone = json_object_get(json_object_get(pair, "isolated"), "gb_s");
    const double rate = json_number_value(alone);
    gb_s[i * n + j] = gb_s[j * n + i] = rate > 0 ? rate : 0;
    classes[i * n + j] = classes[j * n + i] =
        class_of(json_string_value(json_object_get(pair, "class")));
    return true;
}

static enum status read_record(const json_t *record, const char *dir, struct pair_rates *rates) {
    double ranks = 0;
    if (!record_num(record, "params", "world_size", &ranks) || ranks < 2 || ranks > MOST_RANKS)
        return fail(ST_USAGE, "%s: the record of op pairs has no world_size from 2 to %d", dir,
                    MOST_RANKS);
    rates->n = (int)ranks;
    const size_t cells = (size_t)rates->n * (size_t)rates->n;
    double *gb_s = calloc(cells, sizeof *gb_s);
    enum link_class *classes = malloc(cells * sizeof *classes);
    rates->gb_s = gb_s;
    rates->classes = classes;
    if (!gb_s || !classes)
        return fail(ST_ENV, "out of memory for pairs of %d ranks", rates->n);
    for (size_t i = 0; i < cells; i++)
        classes[i] = LINK_CLASSES;
    const json_t *pairs = json_object_get(record, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++)
        if (!enter(json_array_get(pairs, i), rates, gb_s, classes))
            return fail(ST_USAGE,
                        "%s: pairs[%zu] of the record of op pairs names no two of its %d "
                        "ranks as \"a\" and \"b\"",
                        dir, i, rates->n);
    return ST_OK;
}

enum status pair_rates_load(const char *dir, struct pair_rates *rates) {
    *rates = (struct pair_rates){.title = "GB/s between ranks, one pair at a time"};
    json_t *records;
    enum status st = records_load(dir, &records);
    if (st)
        return st;
    const json_t *record = last_pairs(records);
    st = record ? read_record(record, dir, rates)
                : fail(ST_USAGE, "%s holds no record of `spbench comm --op pairs`", dir);
    json_decref(records);
    return st;
}

void pair_rates_free(struct pair_rates *rates) {
    free((void *)rates->gb_s);
    free((void *)rates->classes);
    *rates = (struct pair_rates){0};
}
