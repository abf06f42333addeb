#include "comm/copy/strided.h"
#include "comm/op/data/reduce.h"

#include <string.h>

#include "tests/cmocka_all.h"

/* Row by row into another shape and back: nothing between the rows is touched. */
static void copy_between_shapes(void **state) {
    (void)state;
    unsigned char from[100], to[100], packed[24];
    for (int i = 0; i < 100; i++)
        from[i] = (unsigned char)i;
    memset(to, 0xee, sizeof to);
    const struct buffer a = {from, sizeof from, NULL}, b = {to, sizeof to, NULL};
    const struct block src = {0, &a, 1, 4, 6, 20}; /* 4 rows of 6 */
    const struct block dst = {0, &b, 2, 3, 8, 30}; /* 3 rows of 8 */
    block_copy(&dst, &src);
    block_pack(&src, (char *)packed);
    int touched = 0;
    for (int i = 0; i < 100; i++)
        touched += to[i] != 0xee;
    assert_int_equal(touched, 24);
    for (int i = 0; i < 24; i++) {
        assert_int_equal(packed[i], 1 + i / 6 * 20 + i % 6);
        assert_int_equal(to[2 + i / 8 * 30 + i % 8], packed[i]);
    }
    memset(from, 0, sizeof from);
    block_unpack(&src, (const char *)packed);
    for (int i = 0; i < 24; i++)
        assert_int_equal(from[1 + i / 6 * 20 + i % 6], packed[i]);
    assert_int_equal(from[0], 0);
    assert_int_equal(from[7], 0);
}

static void sums_in_slot_order(void **state) {
    (void)state;
    const float slots[3][2] = {{1e8f, 1}, {1, 2}, {-1e8f, 3}};
    float out[2];
    reduce_slots(out, slots, 3, 2, sizeof(float));
    assert_true(out[0] == (1e8f + 1) - 1e8f);
    assert_true(out[1] == 6);
    /* bf16: 1 + 2^-8 (half a unit) rounds to even; three of them do not lose it before the end. */
    const uint16_t halves[3] = {0x3f80, 0x3b80, 0x3b80};
    uint16_t sum = 0;
    reduce_slots(&sum, halves, 3, 1, 2);
    assert_int_equal(sum, 0x3f81);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_between_shapes),
        cmocka_unit_test(sums_in_slot_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
