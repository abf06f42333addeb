#include "comm/staging.h"

#include <string.h>

#include "tests/cmocka_all.h"

static void lists(void **state) {
    (void)state;
    static const struct {
        const char *names[5];
        const char *text;
    } cases[] = {
        {{"pull"}, "pull"},
        {{"pairwise", "pairwise", "pairwise"}, "pairwise"},
        {{"alltoall", "pairwise"}, "alltoall,pairwise"},
        {{"pairwise", "pairwise", "datatype", "pairwise"}, "pairwise,pairwise,datatype,pairwise"},
        {{"a", "b", "b", "b", "a"}, "a,b,b,b,a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct algorithm_list list = {.n = 0};
        int n = 0;
        for (; n < 5 && cases[i].names[n]; n++)
            algorithm_list_add(&list, cases[i].names[n]);
        assert_string_equal(list.text, cases[i].text);
        for (int k = 0; k < n; k++)
            assert_string_equal(staging_nth(list.text, k).text, cases[i].names[k]);
    }
}

/* Many different ones end in "...", which stands for the most that there can be. */
static void long_lists(void **state) {
    (void)state;
    struct algorithm_list list = {.n = 0};
    for (int i = 0; i < 40; i++)
        algorithm_list_add(&list, i % 2 ? "pairwise" : "datatype");
    assert_true(strlen(list.text) < sizeof list.text);
    assert_string_equal(list.text + strlen(list.text) - 3, "...");
}

/* Eight query heads on four ranks. */
static struct sp_shape shape_of(size_t seq, int kv_heads) {
    return (struct sp_shape){.batch = 1,
                             .seq = seq,
                             .heads = 8,
                             .kv_heads = kv_heads,
                             .head_dim = 16,
                             .sp_size = 4,
                             .ulysses_size = 4,
                             .ring_size = 1,
                             .elem_bytes = 2,
                             .grad_bytes = 4};
}

static void bounds(void **state) {
    (void)state;
    const struct sp_shape s = shape_of(64, 8);
    const size_t q = 16 * 8 * 16 * 2; /* tokens x heads x head_dim x bytes: one tensor of a rank */
    assert_int_equal(staging_ulysses(&s, 0, "datatype", 1, 2), 0);
    assert_int_equal(staging_ulysses(&s, 0, "pull", 1, 2), 0);
    /* The token side's blocks for three others are strided, the head side's lie in one piece. */
    assert_int_equal(staging_ulysses(&s, 0, "pairwise", 1, 0), q / 4 * 3);
    assert_int_equal(staging_ulysses(&s, 0, "alltoall", 1, 0), q);
    assert_int_equal(staging_ulysses(&s, 0, "alltoall", 1, 2), 2 * 3 * q);
    assert_int_equal(staging_ulysses(&s, 0, "auto", 1, 2), 2 * 3 * q);
    assert_int_equal(staging_ulysses(&s, 0, "pairwise,datatype", 1, 2), 2 * 3 * q);
}

/* Gradients of shared KV heads come home as copies, in which peers do not follow one another:
 * packed even where a rank has a single token. */
static void copies_of_shared_heads(void **state) {
    (void)state;
    struct sp_shape s = shape_of(4, 2);
    assert_int_equal(staging_ulysses(&s, 0, "alltoall", 0, 1), 4 * 16 * 2);
    s.kv_heads = 1;
    assert_int_equal(staging_ulysses(&s, 0, "alltoall", 0, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(bounds),
        cmocka_unit_test(copies_of_shared_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
