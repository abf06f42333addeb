#include "comm/shape/grid.h"
#include "comm/shape/shape.h"

#include "tests/cmocka_all.h"

static void shares_cover_all_heads(void **state) {
    (void)state;
    static const int heads[] = {8, 12, 28, 32, 40};
    static const int kv_heads[] = {1, 2, 4, 7, 8, 40};
    for (size_t h = 0; h < 5; h++)
        for (size_t k = 0; k < 6; k++)
            for (int ranks = 1; ranks <= heads[h]; ranks++) {
                if (heads[h] % kv_heads[k] != 0)
                    continue;
                const int group = heads[h] / kv_heads[k];
                int next = 0;
                for (int r = 0; r < ranks; r++) {
                    const struct head_share s = head_share(heads[h], kv_heads[k], ranks, r);
                    assert_int_equal(s.q0, next);
                    assert_in_range(s.nq, heads[h] / ranks, heads[h] / ranks + 1);
                    assert_int_equal(s.kv0, s.q0 / group);
                    assert_int_equal(s.kv0 + s.nkv - 1, (s.q0 + s.nq - 1) / group);
                    next += s.nq;
                }
                assert_int_equal(next, heads[h]);
            }
}

/* Two ranks with a common K/V head never write to the same slot. */
static void replicas_have_slots_of_their_own(void **state) {
    (void)state;
    static const int cases[][3] = {{8, 2, 8},  {8, 1, 4},  {32, 8, 16}, {12, 4, 6},
                                   {24, 8, 6}, {20, 4, 5}, {28, 7, 4},  {40, 8, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const int heads = cases[c][0], kv = cases[c][1], ranks = cases[c][2];
        const int slots = kv_replica_slots(heads, kv, ranks);
        assert_in_range(slots, 1, ranks);
        for (int a = 0; a < ranks; a++)
            for (int b = a + 1; b < ranks; b++) {
                const struct head_share x = head_share(heads, kv, ranks, a);
                const struct head_share y = head_share(heads, kv, ranks, b);
                const int common = x.kv0 + x.nkv > y.kv0;
                if (common)
                    assert_int_not_equal(kv_replica_slot(slots, a), kv_replica_slot(slots, b));
            }
    }
    assert_int_equal(kv_replica_slots(32, 8, 8), 1);
    assert_int_equal(kv_replica_slots(32, 8, 4), 1);
    assert_int_equal(kv_replica_slots(32, 8, 16), 2);
    assert_int_equal(kv_replica_slots(8, 1, 4), 4);
}

static void grid_places_every_rank_once(void **state) {
    (void)state;
    for (int placement = SP_INNER; placement <= SP_OUTER; placement++) {
        int seen[12] = {0};
        for (int r = 0; r < 12; r++) {
            int sp = -1, dp = -1;
            grid_coordinates((enum placement)placement, 4, 3, r, &sp, &dp);
            assert_in_range(sp, 0, 3);
            assert_in_range(dp, 0, 2);
            assert_int_equal(grid_rank((enum placement)placement, 4, 3, sp, dp), r);
            seen[dp * 4 + sp]++;
        }
        for (int i = 0; i < 12; i++)
            assert_int_equal(seen[i], 1);
    }
    int sp = -1, dp = -1;
    grid_coordinates(SP_INNER, 4, 3, 5, &sp, &dp);
    assert_int_equal(sp, 1);
    grid_coordinates(SP_OUTER, 4, 3, 5, &sp, &dp);
    assert_int_equal(dp, 2);
}

static void sizes_must_fill_the_world(void **state) {
    (void)state;
    assert_int_equal(grid_check(4, 2, 8), ST_OK);
    assert_int_equal(grid_check(3, 2, 8), ST_USAGE);
    assert_int_equal(grid_check(65536, 65536, 0), ST_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_all_heads),
        cmocka_unit_test(replicas_have_slots_of_their_own),
        cmocka_unit_test(grid_places_every_rank_once),
        cmocka_unit_test(sizes_must_fill_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
