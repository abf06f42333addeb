/* Reading what `comm --op pairs` saved, whole and damaged. */
#include "bench/links/pair_rates.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "results/record/record.h"

#include "tests/cmocka_all.h"

static const char path[] = "pair_rates.jsonl";

/* A record of op with the given "pairs" (JSON text), appended to the file. */
static void append(const char *op, int ranks, const char *pairs) {
    const double samples[] = {1e-3, 1e-3};
    struct summary time = {.n = 2, .median = 1e-3, .min = 1e-3};
    const struct case_var vars[] = {{"op", op}};
    json_t *record = record_new("comm");
    record_param_str(record, "op", op);
    if (ranks > 0)
        record_param_int(record, "world_size", ranks);
    record_time(record, &time, true, samples, 2);
    assert_int_equal(record_finish(record, vars, 1, NULL), ST_OK);
    json_object_set_new(record, "pairs", json_loads(pairs, 0, NULL)); /* may be no pairs at all */
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    json_dumpf(record, out, JSON_COMPACT);
    fputc('\n', out);
    fclose(out);
    json_decref(record);
}

static enum status load(struct pair_rates *rates) {
    const enum status st = pair_rates_load(path, rates);
    unlink(path);
    return st;
}

static void reads_the_last(void **state) {
    (void)state;
    struct pair_rates rates;
    append("pairs", 2, "[{\"a\": 0, \"b\": 1, \"class\": \"network\"}]");
    append("pairs", 3,
           "[{\"a\": 0, \"b\": 1, \"class\": \"shared-l3\", \"isolated\": {\"gb_s\": 14.5}},"
           " {\"a\": 2, \"b\": 0, \"class\": \"warp\", \"isolated\": {\"gb_s\": 7, \"x\": 1}},"
           " {\"a\": 1, \"b\": 2, \"class\": \"system\", \"isolated\": {}}]");
    append("alltoall", 4, "[]");
    assert_int_equal(load(&rates), ST_OK);
    assert_int_equal(rates.n, 3);
    const double gb_s[] = {0, 14.5, 7, 14.5, 0, 0, 7, 0, 0};
    for (int i = 0; i < 9; i++)
        assert_true(rates.gb_s[i] == gb_s[i]);
    assert_int_equal(rates.classes[1], LINK_SHARED_L3);
    assert_int_equal(rates.classes[3], LINK_SHARED_L3);
    assert_int_equal(rates.classes[2], LINK_CLASSES); /* a class of another version */
    assert_int_equal(rates.classes[5], LINK_SYSTEM);
    pair_rates_free(&rates);
}

static void refuses_others(void **state) {
    (void)state;
    static const struct {
        const char *op;
        int ranks;
        const char *pairs;
    } cases[] = {
        {"alltoall", 2, "[]"},
        {"pairs", 0, "[]"},
        {"pairs", 1, "[]"},
        {"pairs", 1000000, "[]"},
        {"pairs", 2, "{}"},
        {"pairs", 2, "[{\"a\": 0, \"b\": 2}]"},
        {"pairs", 2, "[{\"a\": -1, \"b\": 0}]"},
        {"pairs", 2, "[{\"a\": 1, \"b\": 1}]"},
        {"pairs", 2, "[{\"a\": 0.5, \"b\": 1}]"},
        {"pairs", 2, "[7]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair_rates rates;
        append(cases[i].op, cases[i].ranks, cases[i].pairs);
        assert_int_equal(load(&rates), ST_USAGE);
        pair_rates_free(&rates);
    }
    struct pair_rates rates;
    assert_int_equal(load(&rates), ST_USAGE); /* no file */
    pair_rates_free(&rates);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_last),
        cmocka_unit_test(refuses_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
