/* The table of SP methods, their limits, and what is predicted without running them; that they
 * compute, send and allocate so is test_sp_matrix's matter. */
#include <string.h>

#include "attn/formula/method.h"
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

/* Llama 3.1 8B's heads in bf16, 128 Ki tokens over 8 ranks: Q of a rank has 128 MiB, K and V 64. */
static struct problem worked_example(const struct sp_method *method) {
    struct problem p = {.batch = 1,
                        .seq = 131072,
                        .heads = 32,
                        .kv_heads = 8,
                        .head_dim = 128,
                        .dtype = DTYPE_BF16,
                        .forward = true,
                        .core_only = true,
                        .fuse_qkv = true,
                        .sp_size = 8,
                        .dp_shard_size = 1};
    method->split(&p);
    return p;
}

static void bytes_are_predicted(void **state) {
    (void)state;
    const size_t mib = 1024 * 1024;
    struct problem p = worked_example(&sp_ulysses);
    assert_int_equal(sp_method_volume(&sp_ulysses, &p), 280 * mib);
    p = worked_example(&sp_ring);
    assert_int_equal(sp_method_volume(&sp_ring, &p), 448 * mib);
    assert_int_equal(sp_method_volume(&sp_allgather, &p), 448 * mib);
}

/* Positions and the workspace; Q, K, V and O; LSE; and what travels. */
static void memory_is_predicted(void **state) {
    (void)state;
    const size_t mib = 1024 * 1024, lse = 2 * mib, pos = mib / 2;
    const struct predict_env env = {
        .world_size = 8, .workspace_bytes = 1000, .staging = {.rule = {STAGED_NOTHING}}};
    struct mem_predict m;
    struct problem p = worked_example(&sp_ring);
    predict_memory(&p, &sp_ring, &env, &m);
    assert_int_equal(m.bytes[MEM_ACTIVATIONS], (128 + 64 + 128) * mib + lse);
    assert_int_equal(m.bytes[MEM_EXCHANGE], 2 * 64 * mib);
    assert_int_equal(m.bytes[MEM_WORKSPACE], pos + 1000 + (128 + 256) * mib + lse);
    assert_int_equal(m.bytes[MEM_WEIGHTS] + m.bytes[MEM_GRADIENTS], 0);
    predict_memory(&p, &sp_allgather, &env, &m);
    assert_int_equal(m.bytes[MEM_EXCHANGE], 8 * 64 * mib);
    assert_int_equal(m.bytes[MEM_WORKSPACE], pos + 1000);
    p = worked_example(&sp_ulysses);
    predict_memory(&p, &sp_ulysses, &env, &m);
    assert_int_equal(m.bytes[MEM_EXCHANGE], (128 + 64 + 128) * mib);
}

static void one_rank_is_local_whatever_the_method(void **state) {
    (void)state;
    const struct predict_env env = {.world_size = 1, .staging = {.rule = {STAGED_NOTHING}}};
    struct problem p = problem_of(&sp_local, RANKS);
    p.sp_size = p.ring_size = 1;
    struct mem_predict local, other;
    predict_memory(&p, &sp_local, &env, &local);
    for (int i = 0; sp_methods[i]; i++) {
        assert_ptr_equal(sp_method_on(&p, sp_methods[i]), &sp_local);
        predict_memory(&p, sp_methods[i], &env, &other);
        assert_memory_equal(&other, &local, sizeof local);
    }
    p = problem_of(&sp_ring, RANKS);
    assert_ptr_equal(sp_method_on(&p, &sp_ring), &sp_ring);
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(bytes_are_predicted),
        cmocka_unit_test(memory_is_predicted),
        cmocka_unit_test(one_rank_is_local_whatever_the_method),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
