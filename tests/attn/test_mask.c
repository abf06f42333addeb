#include "attn/mask.h"

#include "tests/cmocka_all.h"

static const struct mask masks[] = {{.causal = false}, {.causal = true}};
enum { MASKS = sizeof masks / sizeof masks[0], SEQ = 12 };

static void parses(void **state) {
    (void)state;
    struct mask mask = {0};
    assert_int_equal(mask_parse("causal", &mask), ST_OK);
    assert_true(mask.causal);
    assert_int_equal(mask_parse("full", &mask), ST_OK);
    assert_false(mask.causal);
    assert_int_equal(mask_parse("full+causal", &mask), ST_OK);
    assert_true(mask.causal);
}

static void refuses(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "Causal",      "causal+",  "+causal",
                                      "docs:4", "window:1024", "causal:1", "causal+none"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct mask mask = {.causal = true};
        assert_int_equal(mask_parse(bad[i], &mask), ST_USAGE);
        assert_true(mask.causal); /* left alone */
    }
}

static void causal_sees_itself_and_before(void **state) {
    (void)state;
    const struct mask causal = {.causal = true}, full = {0};
    assert_true(mask_visible(&causal, 5, 5));
    assert_true(mask_visible(&causal, 5, 0));
    assert_false(mask_visible(&causal, 5, 6));
    assert_true(mask_visible(&full, 0, INT32_MAX - 1));
}

/* Visible pairs of a block, one by one. */
static int count_block(const struct mask *mask, int q0, int q1, int k0, int k1) {
    int n = 0;
    for (int q = q0; q <= q1; q++)
        for (int k = k0; k <= k1; k++)
            n += mask_visible(mask, q, k);
    return n;
}

static void blocks_are_classified(void **state) {
    (void)state;
    for (int m = 0; m < MASKS; m++)
        for (int q0 = 0; q0 < SEQ; q0++)
            for (int q1 = q0; q1 < SEQ; q1++)
                for (int k0 = 0; k0 < SEQ; k0++)
                    for (int k1 = k0; k1 < SEQ; k1++) {
                        const int seen = count_block(&masks[m], q0, q1, k0, k1);
                        const int all = (q1 - q0 + 1) * (k1 - k0 + 1);
                        const enum mask_cover want = seen == 0     ? MASK_NONE
                                                     : seen == all ? MASK_ALL
                                                                   : MASK_PARTIAL;
                        assert_int_equal(mask_classify(&masks[m], q0, q1, k0, k1), want);
                    }
}

static void pairs_are_counted(void **state) {
    (void)state;
    for (int m = 0; m < MASKS; m++) {
        const int want = count_block(&masks[m], 0, SEQ - 1, 0, SEQ - 1);
        assert_int_equal(mask_visible_pairs(&masks[m], SEQ), want);
    }
    const struct mask causal = {.causal = true}, full = {0};
    const uint64_t n = 131072;
    assert_true(mask_visible_pairs(&causal, (int32_t)n) == n * (n + 1) / 2);
    assert_true(mask_visible_pairs(&full, (int32_t)n) == n * n);
    const int32_t some[] = {9, 0, 4};
    assert_int_equal(mask_pairs_at(&causal, some, 3, SEQ), 10 + 1 + 5);
    assert_int_equal(mask_pairs_at(&causal, some, 3, 6), 6 + 1 + 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses),
        cmocka_unit_test(refuses),
        cmocka_unit_test(causal_sees_itself_and_before),
        cmocka_unit_test(blocks_are_classified),
        cmocka_unit_test(pairs_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
