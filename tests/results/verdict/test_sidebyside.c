#include "base/trace.h"
#include "results/record/record.h"
#include "results/verdict/phase_class.h"
#include "results/verdict/sidebyside.h"
#include "tests/results/synthetic.h"

#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

/* What is printed for these; takes the records, the caller frees the text. */
static char *printed_records(json_t *records, bool markdown) {
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(sidebyside_print(records, markdown, out), ST_OK);
    json_decref(records);
    const long length = ftell(out);
    char *text = calloc(1, (size_t)length + 1);
    rewind(out);
    assert_int_equal(fread(text, 1, (size_t)length, out), length);
    fclose(out);
    return text;
}

static char *printed(const struct synthetic_attn *specs, size_t n, bool markdown) {
    json_t *records = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(records, synthetic_attn(&specs[i]));
    return printed_records(records, markdown);
}

static void expect(const char *text, const char *what) {
    if (!strstr(text, what))
        fail_msg("\"%s\" is not in:\n%s", what, text);
}

static void expect_not(const char *text, const char *what) {
    if (strstr(text, what))
        fail_msg("\"%s\" is in:\n%s", what, text);
}

static void which_and_by_how_much(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "local", .sp = 1, .seq = 4096, .time_s = 1.0},
        {.method = "ulysses", .sp = 2, .seq = 4096, .time_s = 0.5},
        {.method = "ring", .sp = 2, .seq = 4096, .time_s = 0.6},
    };
    char *text = printed(specs, 3, false);
    expect(text, "Ulysses is 1.20 times as fast as Ring");
    expect(text, "1.20x"); /* the ratio */
    expect(text, "2.00x"); /* speed-up of Ulysses over local */
    expect(text, "1.67x"); /* and of Ring */
    expect(text, "Ulysses is bound by compute (83% of its time, 10% is the all-to-all)");
    expect(text, "exposed communication 10%");
    expect(text, "contiguous | zigzag");
    expect_not(text, "core_only");
    expect_not(text, "2.00x?");
    expect_not(text, "?:");
    expect_not(text, "compares ranks");
    expect(text, "Ring needs less memory");
    expect(text, "Verdict: of 1 case, Ulysses is faster in 1 (1.20 times as fast).");
    free(text);
    text = printed(specs, 3, true);
    expect(text, "| 2 | 4096 |");
    expect(text, "- Verdict:");
    free(text);
}

static void overlap_is_no_difference(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 4096, .time_s = 0.50, .spread = 0.1},
        {.method = "ring", .sp = 2, .seq = 4096, .time_s = 0.51, .spread = 0.1},
    };
    char *text = printed(specs, 2, false);
    expect(text, "no difference measured (the confidence intervals overlap)");
    expect(text, "no difference was measured in 1");
    expect_not(text, "times as fast");
    free(text);
}

static void few_samples_decide_nothing(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 4096, .time_s = 0.1, .samples = 5},
        {.method = "ring", .sp = 2, .seq = 4096, .time_s = 0.9, .samples = 12},
    };
    char *text = printed(specs, 2, false);
    expect(text, "which 5 and 12 samples do not prove (6 of each are needed");
    expect(text, "1 had too few samples");
    expect_not(text, "is faster in");
    free(text);
}

/* Ratios 1/1.25 at 2048 and 1.25 at 8192 cross at 4096, the middle in logarithms; the point there,
 * where no difference shows, does not hide it. */
static void crossover(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 8192, .time_s = 0.8},
        {.method = "ring", .sp = 2, .seq = 8192, .time_s = 1.0},
        {.method = "ulysses", .sp = 2, .seq = 2048, .time_s = 0.125},
        {.method = "ring", .sp = 2, .seq = 2048, .time_s = 0.1},
        {.method = "ulysses", .sp = 2, .seq = 4096, .time_s = 0.3},
        {.method = "ring", .sp = 2, .seq = 4096, .time_s = 0.3},
        {.method = "ulysses", .sp = 4, .seq = 2048, .time_s = 0.1},
        {.method = "ring", .sp = 4, .seq = 2048, .time_s = 0.05},
    };
    char *text = printed(specs, 8, false);
    expect(text, "Crossover at sp 2: Ulysses becomes the faster one between 2048 and 8192 tokens "
                 "(interpolated: about 4096).");
    expect_not(text, "Crossover at sp 4");
    expect(text, "Verdict: of 4 cases, Ulysses is faster in 1 (1.25 times as fast), Ring is faster "
                 "in 2 (1.25 to 2.00 times as fast), no difference was measured in 1.");
    free(text);
}

static void hops_can_bound(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2, .comm = 0.6},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.3, .comm = 0.7},
    };
    char *text = printed(specs, 2, false);
    expect(text, "Ulysses is bound by the all-to-all (60% of its time");
    expect(text, "Ring is bound by the ring's hops (70% of its time");
    free(text);
}

static void nothing_is_invented(void **state) {
    (void)state;
    const struct synthetic_attn phases_missing[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2, .no_phases = 1, .no_exposed = 1},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.3, .no_phases = 1, .no_exposed = 1},
    };
    char *text = printed(phases_missing, 2, false);
    expect(text, "Ulysses has no phases recorded that say what bounds it");
    expect_not(text, "is bound by");
    expect_not(text, "exposed");
    free(text);
    const struct synthetic_attn exposed_missing[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2, .no_exposed = 1},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.3, .no_exposed = 1},
    };
    text = printed(exposed_missing, 2, false);
    expect(text, "Ring is bound by compute");
    expect_not(text, "exposed");
    free(text);
    text = printed(phases_missing, 1, false);
    assert_string_equal(text, ""); /* one method, beside nothing */
    free(text);
    const struct synthetic_attn local = {.method = "local", .sp = 1, .seq = 512};
    text = printed(&local, 1, false);
    assert_string_equal(text, "");
    free(text);
}

/* A product that ran at another rate: the machine, not the method. */
static void an_unsteady_machine_decides_nothing(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2, .gemm_tflops = 0.10},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.3, .gemm_tflops = 0.07},
        {.method = "ulysses", .sp = 2, .seq = 1024, .time_s = 0.4, .gemm_tflops = 0.10},
        {.method = "ring", .sp = 2, .seq = 1024, .time_s = 0.6, .gemm_tflops = 0.10},
    };
    char *text = printed(specs, 4, false);
    expect(text, "a matrix product ran 1.43 times as fast");
    expect(text, "? (machine unsteady)");
    expect(text,
           "of 2 cases, Ulysses is faster in 1 (1.50 times as fast), in 1 the machine was not");
    free(text);
}

/* One rank exchanges with nobody: a base for speed-ups, and no case of either method. */
static void one_rank_is_a_base(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 1, .seq = 512, .time_s = 0.4},
        {.method = "ring", .sp = 1, .seq = 512, .time_s = 0.4},
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.25},
    };
    char *text = printed(specs, 4, false);
    expect(text, "of 1 case");
    expect(text, "2.00x");
    expect(text, "1.60x");
    free(text);
}

/* A method without the other one has its speed-ups left to show, and no columns for the other. */
static void one_method_stands_against_one_rank(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "local", .sp = 1, .seq = 512, .time_s = 0.4},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.25},
    };
    for (int markdown = 0; markdown < 2; markdown++) {
        char *text = printed(specs, 2, markdown);
        expect(text, "Ring against sp 1: llama");
        expect(text, "1.60x");
        expect_not(text, "Ulysses");
        expect_not(text, "Verdict");
        expect_not(text, "faster");
        free(text);
    }
    const struct synthetic_attn apart[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2},
        {.method = "ring", .sp = 2, .seq = 1024, .time_s = 0.25},
    };
    char *text = printed(apart, 2, false);
    expect(text, "Verdict: none; no case was measured with both methods.");
    free(text);
}

/* Records that tests change before they are printed. */
static json_t *three(void) {
    json_t *records = json_array();
    const struct synthetic_attn specs[] = {
        {.method = "local", .sp = 1, .seq = 512, .time_s = 0.4},
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.25},
    };
    for (size_t i = 0; i < 3; i++)
        json_array_append_new(records, synthetic_attn(&specs[i]));
    return records;
}

/* A speed-up says when it rests on few samples, and when ranks had other threads. */
static void speedups_say_what_they_rest_on(void **state) {
    (void)state;
    json_t *records = three();
    json_t *time =
        json_object_get(json_object_get(json_array_get(records, 0), "metrics"), "time_s");
    json_object_del(time, "ci95");
    record_param_int(json_array_get(records, 0), "threads", 2);
    char *text = printed_records(records, false);
    expect(text, "2.00x?");
    expect(text, "1.60x?");
    expect(text, "?: one of the two rates rests on fewer than 6 samples");
    const char *line =
        "sp 1 ran with 2 threads a rank, sp 2 with 1: that speed-up compares ranks, not cores.\n";
    expect(text, line);
    expect_not(strstr(text, line) + 1, line); /* once */
    free(text);
}

/* What exchanges are made with is no variant to choose the fastest of; one rank has no exchanges.
 */
static void exchanges_are_not_mixed(void **state) {
    (void)state;
    static const char *const keys[] = {"placement", "transport", "grad_dtype", "overlap"};
    for (size_t i = 0; i < 4; i++) {
        json_t *records = three();
        for (size_t k = 1; k < 3; k++)
            record_param_str(json_array_get(records, k), keys[i], k == 1 ? "one" : "other");
        char *text = printed_records(records, false);
        expect_not(text, "times as fast");
        expect(text, "2.00x");
        expect(text, "1.60x");
        free(text);
    }
}

static void wrong_records_are_left_out(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.01, .wrong = 3},
    };
    char *text = printed(specs, 2, false);
    expect(text, "1 record is left out: the result was verified and is wrong.");
    expect_not(text, "Verdict");
    free(text);
}

static void models_are_not_mixed(void **state) {
    (void)state;
    const struct synthetic_attn specs[] = {
        {.method = "ulysses", .sp = 2, .seq = 512, .time_s = 0.2},
        {.method = "ring", .sp = 2, .seq = 512, .time_s = 0.1, .model = "\x1b[31mqwen"},
    };
    char *text = printed(specs, 2, false);
    expect_not(text, "times as fast");
    expect_not(text, "\x1b");
    free(text);
}

/* Every phase that the instrumentation can name has a class; only those of no layer are "other". */
static void every_phase_has_a_class(void **state) {
    (void)state;
    for (int phase = 0; phase < PHASES; phase++) {
        const bool of_layer = phase != PHASE_EXCHANGE && phase != PHASE_BARRIER;
        if ((phase_class_of(phase_name((enum phase)phase)) != CLASS_OTHER) != of_layer)
            fail_msg("phase %s", phase_name((enum phase)phase));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_and_by_how_much),
        cmocka_unit_test(overlap_is_no_difference),
        cmocka_unit_test(few_samples_decide_nothing),
        cmocka_unit_test(crossover),
        cmocka_unit_test(hops_can_bound),
        cmocka_unit_test(nothing_is_invented),
        cmocka_unit_test(an_unsteady_machine_decides_nothing),
        cmocka_unit_test(one_rank_is_a_base),
        cmocka_unit_test(one_method_stands_against_one_rank),
        cmocka_unit_test(speedups_say_what_they_rest_on),
        cmocka_unit_test(exchanges_are_not_mixed),
        cmocka_unit_test(wrong_records_are_left_out),
        cmocka_unit_test(models_are_not_mixed),
        cmocka_unit_test(every_phase_has_a_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
