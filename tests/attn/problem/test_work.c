#include "attn/problem/work.h"

#include <math.h>

#include "attn/formula/method.h"
#include "tests/cmocka_all.h"

static struct problem problem_of(const struct sp_method *method, int sp, enum layout layout) {
    struct problem p = {
        .batch = 1,
        .seq = 240,
        .heads = 12,
        .kv_heads = 6,
        .head_dim = 16,
        .hidden = 64,
        .mask = {.causal = true},
        .forward = true,
        .core_only = true,
        .sp_size = sp,
        .dp_shard_size = 1,
        .layout = layout,
    };
    method->split(&p);
    return p;
}

static double balance(const struct problem *p) {
    double b = 0;
    assert_int_equal(work_balance(p, &b), ST_OK);
    return b;
}

/* P / (2P - 1), a little more for the diagonal: 240 tokens have 241 / 240 of half the square. */
static void contiguous_causal_ring(void **state) {
    (void)state;
    for (int sp = 1; sp <= 8; sp *= 2) {
        const struct problem p = problem_of(&sp_ring, sp, LAYOUT_CONTIGUOUS);
        assert_true(fabs(balance(&p) - sp / (2.0 * sp - 1)) < 0.01);
    }
}

static void zigzag_is_even_for_ring_and_both_orders_of_usp(void **state) {
    (void)state;
    struct problem p = problem_of(&sp_ring, 4, LAYOUT_ZIGZAG);
    assert_true(fabs(balance(&p) - 1) < 1e-12);
    for (int u = 1; u <= 12; u++)
        for (int order = 0; order < 2 && 12 % u == 0; order++) {
            p = problem_of(&sp_ring, 12, LAYOUT_ZIGZAG);
            p.ulysses_size = u;
            p.inner = order == 0 ? USP_INNER_ULYSSES : USP_INNER_RING;
            sp_usp.split(&p);
            p.heads = p.kv_heads = 12; /* which every u divides */
            assert_true(fabs(balance(&p) - 1) < 1e-12);
        }
}

/* 12 heads over 5 ranks: shares of 2 and 3. */
static void shares_of_heads_count(void **state) {
    (void)state;
    struct problem p = problem_of(&sp_ulysses, 5, LAYOUT_CONTIGUOUS);
    assert_true(fabs(balance(&p) - 12.0 / 5 / 3) < 1e-12);
    double work, sum = 0;
    for (int r = 0; r < 5; r++) {
        assert_int_equal(work_of_rank(&p, r, &work), ST_OK);
        sum += work;
    }
    assert_true(fabs(sum - problem_flops(&p)) < 0.5);
}

/* Projections are even, and part of the work. */
static void projections_count(void **state) {
    (void)state;
    struct problem p = problem_of(&sp_ring, 4, LAYOUT_CONTIGUOUS);
    p.backward = true;
    const double core = balance(&p);
    p.core_only = false;
    assert_true(balance(&p) > core);
    double work, sum = 0;
    for (int r = 0; r < 4; r++) {
        assert_int_equal(work_of_rank(&p, r, &work), ST_OK);
        sum += work;
    }
    assert_true(fabs(sum - problem_flops(&p)) < 0.5);
}

/* Every token has one rank, the rest is padding, and padding is no work. */
static void padding_is_nowhere(void **state) {
    (void)state;
    static const int32_t lengths[] = {1, 5, 83, 128};
    for (int i = 0; i < 4; i++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct problem p = problem_of(&sp_ring, 8, (enum layout)layout);
            char seen[128] = {0};
            int32_t pos[128];
            double work, sum = 0;
            p.core_only = false;
            p.seq = lengths[i];
            problem_pad(&p);
            assert_in_range(problem_padded_seq(&p), p.seq, p.seq + 15);
            for (int r = 0; r < 8; r++) {
                problem_positions(&p, r, pos);
                for (int t = 0; t < problem_local_tokens(&p); t++)
                    if (pos[t] != POS_NOWHERE)
                        seen[pos[t]]++;
                assert_int_equal(work_of_rank(&p, r, &work), ST_OK);
                sum += work;
            }
            for (int t = 0; t < 128; t++)
                assert_int_equal(seen[t], t < p.seq);
            assert_true(fabs(sum - problem_flops(&p)) < 0.5);
        }
}

static void padding_sees_nothing(void **state) {
    (void)state;
    const struct mask masks[] = {{.causal = false}, {.causal = true}};
    for (int i = 0; i < 2; i++) {
        const struct mask *m = &masks[i];
        assert_true(mask_visible(m, 7, 7));
        assert_false(mask_visible(m, 7, POS_NOWHERE));
        assert_false(mask_visible(m, POS_NOWHERE, 7));
        assert_false(mask_visible(m, POS_NOWHERE, POS_NOWHERE));
        assert_int_equal(mask_classify(m, POS_NOWHERE, POS_NOWHERE, 0, 7), MASK_NONE);
        assert_int_not_equal(mask_classify(m, 8, POS_NOWHERE, 0, 7), MASK_ALL);
        assert_int_not_equal(mask_classify(m, 8, 9, 0, POS_NOWHERE), MASK_ALL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_causal_ring),
        cmocka_unit_test(zigzag_is_even_for_ring_and_both_orders_of_usp),
        cmocka_unit_test(shares_of_heads_count),
        cmocka_unit_test(projections_count),
        cmocka_unit_test(padding_is_nowhere),
        cmocka_unit_test(padding_sees_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
