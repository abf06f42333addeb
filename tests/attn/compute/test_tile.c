#include "attn/compute/cpu/flash/tile.h"

#include "attn/problem/layout.h"
#include "tests/cmocka_all.h"

enum { N = 24, SIZE = 8 };

/* Tiles cover the list in order, keep within aligned blocks and have one step. */
static void tiles_cover_the_list(void **state) {
    (void)state;
    int32_t pos[N];
    layout_positions(LAYOUT_ZIGZAG, 4 * N, 4, 1, pos);
    int tiles = 0;
    for (int begin = 0; begin < N; tiles++) {
        const struct tile t = tile_at(pos, N, begin, SIZE);
        assert_int_equal(t.begin, begin);
        assert_true(t.count >= 1 && begin / SIZE == (begin + t.count - 1) / SIZE);
        for (int i = 0; i < t.count; i++)
            assert_int_equal(pos[begin + i], t.pos + i * t.step);
        begin += t.count;
    }
    assert_int_equal(tiles, 4); /* 8, 4, then the second chunk's 4, 8 */
}

static void order_and_repeats(void **state) {
    (void)state;
    static const int32_t pos[] = {5, 3, 3, 4, 6, 8, 10};
    static const int want[] = {1, 1, 2, 3};
    int begin = 0;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct tile t = tile_at(pos, 7, begin, 100);
        assert_int_equal(t.count, want[i]);
        assert_true(t.step > 0);
        begin += t.count;
    }
    assert_int_equal(begin, 7);
}

/* The block and its spans hold exactly the pairs that are visible. */
static void check_block(const struct mask *mask, struct tile q, struct tile k) {
    struct span spans[N];
    const struct visible b = tile_block(mask, q, k, spans);
    for (int i = 0; i < q.count; i++)
        for (int j = 0; j < k.count; j++) {
            const bool in_rows = i >= b.row && i < b.row + b.rows;
            const int col = j - b.col;
            const bool got = in_rows && col >= spans[i].begin && col < spans[i].end;
            assert_int_equal(got, mask_visible(mask, q.pos + i * q.step, k.pos + j * k.step));
        }
    for (int i = b.row; i < b.row + b.rows; i++)
        assert_true(0 <= spans[i].begin && spans[i].begin <= spans[i].end &&
                    spans[i].end <= b.cols);
}

static void blocks_hold_what_is_visible(void **state) {
    (void)state;
    int32_t docs[] = {0, 4, 5, 13, 40};
    const struct mask masks[] = {
        {.causal = false},
        {.causal = true},
        {.window = 5},
        {.causal = true, .n_docs = 4, .docs = docs},
        {.causal = true, .window = 3, .n_docs = 4, .docs = docs},
    };
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++)
        for (int32_t q = 0; q < 9; q++)
            for (int32_t k = 0; k < 9; k++)
                for (int32_t q_step = 1; q_step <= 3; q_step++)
                    for (int32_t k_step = 1; k_step <= 3; k_step++)
                        check_block(&masks[m], (struct tile){0, 7, q, q_step},
                                    (struct tile){0, 5, k, k_step});
}

/* No row and no column of the block is wasted. */
static void blocks_are_tight(void **state) {
    (void)state;
    const struct mask causal = {.causal = true};
    struct span spans[8];
    const struct visible b =
        tile_block(&causal, (struct tile){0, 8, 10, 1}, (struct tile){0, 8, 14, 1}, spans);
    assert_int_equal(b.row, 4);
    assert_int_equal(b.rows, 4);
    assert_int_equal(b.col, 0);
    assert_int_equal(b.cols, 4);
    const struct visible none =
        tile_block(&causal, (struct tile){0, 8, 0, 1}, (struct tile){0, 8, 8, 1}, spans);
    assert_int_equal(none.rows, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_the_list),
        cmocka_unit_test(order_and_repeats),
        cmocka_unit_test(blocks_hold_what_is_visible),
        cmocka_unit_test(blocks_are_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
