/* The table of SP methods and their limits; that they compute what they should is test_sp_matrix's
 * matter. */
#include <string.h>

#include "attn/method/method.h"
#include "tests/cmocka_all.h"

enum { RANKS = 4 };

static struct problem problem_of(const struct sp_method *method, int heads) {
    struct problem p = {
        .batch = 1,
        .seq = 96,
        .heads = heads,
        .kv_heads = 1,
        .head_dim = 16,
        .forward = true,
        .sp_size = RANKS,
        .dp_shard_size = 1,
    };
    method->split(&p);
    return p;
}

static void limits_are_told(void **state) {
    (void)state;
    char why[256] = "";
    struct problem p = problem_of(&sp_ulysses, RANKS + 1);
    assert_true(sp_ulysses.supports(&p, why, sizeof why));
    assert_true(sp_ring.supports(&p, why, sizeof why));
    p.ulysses_size = RANKS + 1;
    sp_usp.split(&p);
    assert_false(sp_usp.supports(&p, why, sizeof why));
    assert_non_null(strstr(why, "does not divide"));
    p.kv_groups = 2;
    assert_false(sp_allgather.supports(&p, why, sizeof why));
    assert_non_null(strstr(why, "only 1 KV head"));
    p = problem_of(&sp_ulysses, RANKS - 1);
    assert_false(sp_ulysses.supports(&p, why, sizeof why));
    assert_non_null(strstr(why, "fewer"));
    assert_false(sp_local.supports(&p, why, sizeof why));
}

static void methods_are_found_by_name(void **state) {
    (void)state;
    for (int i = 0; sp_methods[i]; i++)
        assert_ptr_equal(sp_method_find(sp_methods[i]->name), sp_methods[i]);
    assert_null(sp_method_find("megatron"));
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(methods_are_found_by_name),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
