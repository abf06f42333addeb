#include "comm/shape/staging.h"

#include <string.h>

#include "comm/shape/grid.h"
#include "comm/shape/usp.h"

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
    for (int i = 0; i < 1000; i++)
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

static size_t staged(const struct sp_shape *s, const char *algorithm, int n_q, int n_kv) {
    return staging_ulysses(s, 0, algorithm, &(struct hosts){.keys = NULL}, n_q, n_kv);
}

static void bounds(void **state) {
    (void)state;
    const struct sp_shape s = shape_of(64, 8);
    const size_t q = 16 * 8 * 16 * 2; /* tokens x heads x head_dim x bytes: one tensor of a rank */
    assert_int_equal(staged(&s, "datatype", 1, 2), 0);
    assert_int_equal(staged(&s, "pull", 1, 2), 0);
    /* The token side's blocks for three others are strided, the head side's lie in one piece. */
    assert_int_equal(staged(&s, "pairwise", 1, 0), q / 4 * 3);
    assert_int_equal(staged(&s, "alltoall", 1, 0), q);
    assert_int_equal(staged(&s, "alltoall", 1, 2), 2 * 3 * q);
    assert_int_equal(staged(&s, "auto", 1, 2), 2 * 3 * q);
    assert_int_equal(staged(&s, "pairwise,datatype", 1, 2), 2 * 3 * q);
}

/* Gradients of shared KV heads come home as copies, in which peers do not follow one another:
 * packed even where a rank has a single token. */
static void copies_of_shared_heads(void **state) {
    (void)state;
    struct sp_shape s = shape_of(4, 2);
    assert_int_equal(staged(&s, "alltoall", 0, 1), 4 * 16 * 2);
    s.kv_heads = 1;
    assert_int_equal(staged(&s, "alltoall", 0, 1), 0);
}

/* Pairs are packed between hosts alone where something else serves the peers on the own one. */
static void peers_on_the_own_host(void **state) {
    (void)state;
    static const uint64_t three_and_one[] = {7, 7, 7, 9}, alone[] = {7, 7, 7, 7};
    const struct sp_shape s = shape_of(64, 8);
    const size_t q = 16 * 8 * 16 * 2;
    const struct hosts uneven = {three_and_one, 0, 1}, one = {alone, 0, 1};
    assert_int_equal(staging_ulysses(&s, 0, "pull+pairwise", &uneven, 1, 0), q / 4);
    assert_int_equal(staging_ulysses(&s, 3, "pull+pairwise", &uneven, 1, 0), q / 4 * 3);
    assert_int_equal(staging_ulysses(&s, 3, "pull+pairwise", &one, 1, 0), 0);
    assert_int_equal(staging_ulysses(&s, 0, "pull+datatype", &uneven, 1, 0), 0);
    assert_int_equal(staged(&s, "pull+pairwise", 1, 0), q / 4 * 3);
    /* MPI messages that go to every rank know of no host. */
    assert_int_equal(staging_ulysses(&s, 0, "pairwise", &uneven, 1, 0), q / 4 * 3);
    assert_int_equal(staging_ulysses(&s, 0, "auto", &uneven, 1, 2), 2 * 3 * q);

    assert_int_equal(staging_packing("push+pairwise", &uneven, 1, 4).peers, 1);
    assert_int_equal(staging_packing("push+pairwise", &uneven, 3, 4).peers, 3);
    assert_int_equal(staging_packing("pairwise", &uneven, 1, 4).peers, 3);
    assert_int_equal(staging_packing("pull+datatype", &uneven, 3, 4).peers, 0);
    assert_int_equal(staging_packing("pull", &uneven, 3, 4).peers, 0);
    assert_true(staging_packing("alltoall", &uneven, 0, 4).whole);
    assert_true(staging_packing("...", &uneven, 0, 4).whole);
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
        cmocka_unit_test(peers_on_the_own_host),
        cmocka_unit_test(hosts_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
