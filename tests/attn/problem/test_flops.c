#include "attn/problem/flops.h"

#include "attn/problem/mask.h"
#include "tests/cmocka_all.h"

/* Counted by hand for 3 tokens, causal (6 pairs), 2 heads of 4: each pair takes 4 multiply-adds for
 * the logit and 4 for the output. */
static void attention_by_hand(void **state) {
    (void)state;
    const struct mask causal = {.causal = true};
    const uint64_t pairs = mask_visible_pairs(&causal, 3);
    assert_true(flops_attn_fwd(1, 2, 4, pairs) == 6 * 2 * 2 * (4 + 4));
    assert_true(flops_attn_fwd(5, 2, 4, pairs) == 5 * flops_attn_fwd(1, 2, 4, pairs));
    assert_true(flops_attn_bwd(1, 2, 4, pairs) == 6 * 2 * 2 * 4 * 5);
}

/* 7 tokens, hidden 10, q and o 2 * 4 wide, k and v 1 * 4. */
static void projections_by_hand(void **state) {
    (void)state;
    assert_true(flops_proj_fwd(7, 10, 2, 1, 4) == 2 * 7 * 10 * (8 + 4 + 4 + 8));
    assert_true(flops_proj_bwd(7, 10, 2, 1, 4) == 2 * flops_proj_fwd(7, 10, 2, 1, 4));
    assert_true(flops_proj_fwd(1 << 20, 16384, 128, 8, 128) > 1e15); /* no overflow on the way */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_by_hand),
        cmocka_unit_test(projections_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
