#include "comm/shape/staging.h"

#include <string.h>

#include "comm/shape/grid.h"
#include "comm/shape/usp.h"

#include "tests/cmocka_all.h"

static const struct staging_rule none = {STAGED_NOTHING, false}, strided = {STAGED_STRIDED, false},
                                 sides = {STAGED_SIDES, false}, most = {STAGED_MOST, false},
                                 strided_apart = {STAGED_STRIDED, true},
                                 none_apart = {STAGED_NOTHING, true};

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
            algorithm_list_add(&list, cases[i].names[n], strided);
        assert_string_equal(list.text, cases[i].text);
        assert_int_equal(list.n, n);
    }
}

/* The text of many different ones ends in "...", and rules that are not kept stand for the most
 * that there can be. */
static void long_lists(void **state) {
    (void)state;
    struct algorithm_list list = {.n = 0};
    for (int i = 0; i < 1000; i++)
        algorithm_list_add(&list, i % 2 ? "pairwise" : "datatype", i % 2 ? strided : none);
    assert_true(strlen(list.text) < sizeof list.text);
    assert_string_equal(list.text + strlen(list.text) - 3, "...");
    const struct staging how = {.rule = sides, .planned = &list};
    assert_int_equal(staging_nth(&how, 0).what, STAGED_NOTHING);
    assert_int_equal(staging_nth(&how, ALGORITHM_RULES - 1).what, STAGED_STRIDED);
    assert_int_equal(staging_nth(&how, ALGORITHM_RULES).what, STAGED_MOST);
    const struct staging all = {.rule = sides};
    assert_int_equal(staging_nth(&all, 999).what, STAGED_SIDES);
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

static size_t staged(const struct sp_shape *s, struct staging_rule rule, int n_q, int n_kv) {
    return staging_ulysses(s, 0, rule, &(struct hosts){.keys = NULL}, n_q, n_kv);
}

static void bounds(void **state) {
    (void)state;
    const struct sp_shape s = shape_of(64, 8);
    const size_t q = 16 * 8 * 16 * 2; /* tokens x heads x head_dim x bytes: one tensor of a rank */
    assert_int_equal(staged(&s, none, 1, 2), 0);
    /* The token side's blocks for three others are strided, the head side's lie in one piece. */
    assert_int_equal(staged(&s, strided, 1, 0), q / 4 * 3);
    assert_int_equal(staged(&s, sides, 1, 0), q);
    assert_int_equal(staged(&s, sides, 1, 2), 2 * 3 * q);
    assert_int_equal(staged(&s, most, 1, 2), 2 * 3 * q);
}

/* Gradients of shared KV heads come home as copies, in which peers do not follow one another:
 * packed even where a rank has a single token. */
static void copies_of_shared_heads(void **state) {
    (void)state;
    struct sp_shape s = shape_of(4, 2);
    assert_int_equal(staged(&s, sides, 0, 1), 4 * 16 * 2);
    s.kv_heads = 1;
    assert_int_equal(staged(&s, sides, 0, 1), 0);
}

/* K or V alone is no all-to-all where neighbours need the same heads. */
static void shared_heads_go_in_pairs(void **state) {
    (void)state;
    const struct sp_shape own = shape_of(64, 8), shared = shape_of(64, 2);
    assert_int_equal(staging_kv_alone(&own, sides).what, STAGED_SIDES);
    assert_int_equal(staging_kv_alone(&shared, sides).what, STAGED_STRIDED);
    assert_int_equal(staging_kv_alone(&shared, none).what, STAGED_NOTHING);
}

/* Pairs are packed between hosts alone where something else serves the peers on the own one. */
static void peers_on_the_own_host(void **state) {
    (void)state;
    static const uint64_t three_and_one[] = {7, 7, 7, 9}, alone[] = {7, 7, 7, 7};
    const struct sp_shape s = shape_of(64, 8);
    const size_t q = 16 * 8 * 16 * 2;
    const struct hosts uneven = {three_and_one, 0, 1}, one = {alone, 0, 1};
    assert_int_equal(staging_ulysses(&s, 0, strided_apart, &uneven, 1, 0), q / 4);
    assert_int_equal(staging_ulysses(&s, 3, strided_apart, &uneven, 1, 0), q / 4 * 3);
    assert_int_equal(staging_ulysses(&s, 3, strided_apart, &one, 1, 0), 0);
    assert_int_equal(staging_ulysses(&s, 0, none_apart, &uneven, 1, 0), 0);
    assert_int_equal(staged(&s, strided_apart, 1, 0), q / 4 * 3);
    /* MPI messages that go to every rank know of no host. */
    assert_int_equal(staging_ulysses(&s, 0, strided, &uneven, 1, 0), q / 4 * 3);
    assert_int_equal(staging_ulysses(&s, 0, most, &uneven, 1, 2), 2 * 3 * q);

    assert_int_equal(staging_packing(strided_apart, &uneven, 1, 4).peers, 1);
    assert_int_equal(staging_packing(strided_apart, &uneven, 3, 4).peers, 3);
    assert_int_equal(staging_packing(strided, &uneven, 1, 4).peers, 3);
    assert_int_equal(staging_packing(none_apart, &uneven, 3, 4).peers, 0);
    assert_true(staging_packing(sides, &uneven, 0, 4).whole);
    assert_true(staging_packing(most, &uneven, 0, 4).whole);
}

/* Groups of a grid of 2 x 4 ranks, on hosts of three. */
static void hosts_of_groups(void **state) {
    (void)state;
    static const uint64_t world[] = {1, 1, 1, 2, 2, 2, 3, 3};
    const struct hosts all = {world, 0, 1};
    const struct hosts outer = grid_sp_hosts(SP_OUTER, 4, 2, 1, all); /* 1, 3, 5, 7 */
    assert_false(hosts_shared(&outer, 0, 1));
    assert_true(hosts_shared(&outer, 1, 2));
    assert_false(hosts_shared(&outer, 2, 3));
    const struct hosts inner = grid_sp_hosts(SP_INNER, 4, 2, 1, all);               /* 4, 5, 6, 7 */
    const struct hosts near = usp_ulysses_hosts(inner, USP_INNER_ULYSSES, 2, 2, 1); /* 6, 7 */
    const struct hosts far = usp_ulysses_hosts(inner, USP_INNER_RING, 2, 2, 1);     /* 5, 7 */
    assert_true(hosts_shared(&near, 0, 1));
    assert_false(hosts_shared(&far, 0, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(bounds),
        cmocka_unit_test(copies_of_shared_heads),
        cmocka_unit_test(shared_heads_go_in_pairs),
        cmocka_unit_test(peers_on_the_own_host),
        cmocka_unit_test(hosts_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
