#include "results/compare/compare.h"
#include "results/record/record.h"
#include "tests/results/synthetic.h"

#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static json_t *run_of(const struct synthetic_attn *specs, size_t n) {
    json_t *records = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(records, synthetic_attn(&specs[i]));
    return records;
}

/* Takes both; *text (caller frees) is what was printed, unless text is NULL. */
static enum status compared(json_t *base, json_t *new, const char *format, double threshold,
                            char **text) {
    FILE *out = tmpfile();
    assert_non_null(out);
    size_t i = 0;
    while (strcmp(compare_printer_name(compare_printer(i)), format) != 0)
        i++;
    const struct compare_options options = {.threshold = threshold, .printer = compare_printer(i)};
    const enum status st = compare_records(base, new, &options, out);
    json_decref(base);
    json_decref(new);
    if (text) {
        const long length = ftell(out);
        *text = calloc(1, (size_t)length + 1);
        rewind(out);
        assert_int_equal(fread(*text, 1, (size_t)length, out), length);
    }
    fclose(out);
    return st;
}

static struct synthetic_attn spec(double time_s, int samples) {
    return (struct synthetic_attn){
        .method = "ring", .sp = 2, .seq = 4096, .time_s = time_s, .samples = samples};
}

static enum status change(double from, double to, int samples) {
    const struct synthetic_attn base = spec(from, samples), new = spec(to, samples);
    return compared(run_of(&base, 1), run_of(&new, 1), "table", COMPARE_THRESHOLD, NULL);
}

static void exit_codes(void **state) {
    (void)state;
    assert_int_equal(change(1.0, 1.0, 12), ST_OK);
    assert_int_equal(change(1.0, 1.2, 12), ST_REGRESSION);
    assert_int_equal(change(1.0, 0.8, 12), ST_OK);
    assert_int_equal(change(1.0, 1.04, 12), ST_OK); /* significant, but below the threshold */
    assert_int_equal(change(1.0, 1.2, 6), ST_REGRESSION);
    assert_int_equal(change(1.0, 1.2, 5), ST_INCONCLUSIVE);
    assert_int_equal(change(1.0, 9.0, 1), ST_INCONCLUSIVE);
}

static void threshold_is_an_option(void **state) {
    (void)state;
    const struct synthetic_attn a = spec(1.0, 12), b = spec(1.04, 12);
    assert_int_equal(compared(run_of(&a, 1), run_of(&b, 1), "csv", 0.03, NULL), ST_REGRESSION);
    assert_int_equal(compared(run_of(&a, 1), run_of(&b, 1), "csv", -1.0, NULL), ST_USAGE);
}

/* A large change of the median within the noise is no regression. */
static void noise_is_no_regression(void **state) {
    (void)state;
    struct synthetic_attn a = spec(1.0, 12), b = spec(1.08, 12);
    a.spread = b.spread = 0.5;
    char *text;
    assert_int_equal(compared(run_of(&a, 1), run_of(&b, 1), "csv", 0.05, &text), ST_OK);
    assert_non_null(strstr(text, ",not significant,"));
    free(text);
    assert_int_equal(compared(run_of(&a, 1), run_of(&a, 1), "csv", 0.05, &text), ST_OK);
    assert_non_null(strstr(text, ",same,"));
    free(text);
}

static void a_regression_wins_over_inconclusive(void **state) {
    (void)state;
    struct synthetic_attn base[] = {spec(1.0, 12), spec(1.0, 3)};
    struct synthetic_attn new[] = {spec(1.5, 12), spec(1.0, 3)};
    base[1].seq = new[1].seq = 8192;
    char *text;
    assert_int_equal(compared(run_of(base, 2), run_of(new, 2), "table", 0.05, &text),
                     ST_REGRESSION);
    assert_non_null(strstr(text, "1 REGRESSION; 1 inconclusive; 2 in all."));
    assert_non_null(strstr(text, "+50.0%"));
    free(text);
}

/* Three records of 4 samples are 12 samples. */
static void records_of_a_case_are_pooled(void **state) {
    (void)state;
    const struct synthetic_attn base[] = {spec(1.0, 4), spec(1.0, 4), spec(1.0, 4)};
    const struct synthetic_attn new[] = {spec(1.3, 4), spec(1.3, 4), spec(1.3, 4)};
    char *text;
    assert_int_equal(compared(run_of(base, 3), run_of(new, 3), "csv", 0.05, &text), ST_REGRESSION);
    assert_non_null(strstr(text, ",12,12\r\n"));
    free(text);
}

static void unpaired_cases_are_listed(void **state) {
    (void)state;
    struct synthetic_attn base[] = {spec(1.0, 12), spec(1.0, 12)};
    struct synthetic_attn new[] = {spec(1.0, 12), spec(1.0, 12)};
    base[1].seq = 1111;
    new[1].seq = 2222;
    char *text;
    assert_int_equal(compared(run_of(base, 2), run_of(new, 2), "md", 0.05, &text), ST_OK);
    assert_non_null(strstr(text, "only in BASE"));
    assert_non_null(strstr(text, "only in NEW"));
    assert_non_null(strstr(text, "seq=1111"));
    free(text);
    assert_int_equal(compared(run_of(base + 1, 1), run_of(new + 1, 1), "md", 0.05, NULL), ST_USAGE);
    assert_int_equal(compared(json_array(), json_array(), "md", 0.05, NULL), ST_USAGE);
}

/* Rows show what differs, however long it is; a kind of one case shows what it is about. */
static void rows_can_be_told_apart(void **state) {
    (void)state;
    char model[401] = "";
    memset(model, 'm', 400);
    struct synthetic_attn specs[] = {spec(1.0, 12), spec(1.0, 12)};
    specs[1].seq = 8192;
    specs[1].model = model;
    for (int i = 0; i < 2; i++) {
        json_t *base = run_of(specs, 2), *new = run_of(specs, 2);
        json_array_append_new(base, synthetic_comm("ring", "x y", 2, 1024, 1.0));
        json_array_append_new(new, synthetic_comm("ring", "x y", 2, 1024, 1.0));
        char *text;
        compared(base, new, i ? "md" : "table", 0.05, &text);
        assert_non_null(strstr(text, "attn model=llama-3.1-8b seq=4096"));
        assert_non_null(strstr(text, "mmmm seq=8192"));
        assert_non_null(strstr(text, "comm bytes=1024 op=ring"));
        assert_null(strstr(text, "pass="));
        free(text);
    }
}

static void a_wrong_result_is_worst(void **state) {
    (void)state;
    struct synthetic_attn good = spec(1.0, 12), wrong = spec(2.0, 12);
    wrong.wrong = 1;
    assert_int_equal(compared(run_of(&good, 1), run_of(&wrong, 1), "json", 0.05, NULL), ST_WRONG);
    /* wrong in BASE: nothing to compare with */
    assert_int_equal(compared(run_of(&wrong, 1), run_of(&good, 1), "json", 0.05, NULL),
                     ST_INCONCLUSIVE);
}

static void json_says_it_all(void **state) {
    (void)state;
    const struct synthetic_attn a = spec(1.0, 12), b = spec(1.5, 12);
    char *text;
    compared(run_of(&a, 1), run_of(&b, 1), "json", 0.05, &text);
    json_t *all = json_loads(text, 0, NULL);
    const json_t *one = json_array_get(json_object_get(all, "cases"), 0);
    double value;
    assert_string_equal(record_str(one, NULL, "verdict"), "REGRESSION");
    assert_true(record_num(one, NULL, "change", &value) && value > 0.49 && value < 0.51);
    assert_true(record_num(one, NULL, "p", &value) && value < 0.01);
    assert_true(record_num(one, "base", "n", &value) && value > 11.5 && value < 12.5);
    json_decref(all);
    free(text);
}

/* Not measured alike: said by field on stderr, and not an error. */
static void fingerprints_are_a_warning(void **state) {
    (void)state;
    const struct synthetic_attn a = spec(1.0, 12);
    json_t *new = run_of(&a, 1);
    json_t *print = json_object_get(json_array_get(new, 0), "fingerprint");
    json_object_set_new(print, "id", json_string("other"));
    json_object_set_new(print, "git", json_string("v2"));
    assert_int_equal(compared(run_of(&a, 1), new, "csv", 0.05, NULL), ST_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(threshold_is_an_option),
        cmocka_unit_test(noise_is_no_regression),
        cmocka_unit_test(a_regression_wins_over_inconclusive),
        cmocka_unit_test(records_of_a_case_are_pooled),
        cmocka_unit_test(unpaired_cases_are_listed),
        cmocka_unit_test(rows_can_be_told_apart),
        cmocka_unit_test(a_wrong_result_is_worst),
        cmocka_unit_test(json_says_it_all),
        cmocka_unit_test(fingerprints_are_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
