/* Every method against `local`, on every token: results, bytes sent and memory used. */
#include <stdlib.h>
#include <string.h>

#include "tests/attn/sp_case.h"

/* 24 heads divide over 1, 2, 3, 4 and 8 ranks; KV heads below, at and above these, and at places
 * where a rank's query heads begin amid a group. 96 tokens are a tile and a half. */
static const struct shape {
    int batch, heads, kv_heads;
    bool causal, backward;
} shapes[] = {
    {1, 24, 24, true, true}, {2, 24, 6, true, true},  {1, 24, 3, false, true},
    {2, 24, 1, true, true},  {1, 24, 8, true, false}, {2, 24, 2, false, false},
};

static const char *const algorithms[] = {"pairwise", "alltoall"};

static struct problem problem_of(const struct shape *s, const struct sp_method *method,
                                 enum layout layout, enum dtype grad_dtype) {
    struct problem p = {
        .batch = s->batch,
        .seq = 96,
        .heads = s->heads,
        .kv_heads = s->kv_heads,
        .head_dim = 16,
        .mask = {.causal = s->causal},
        .dtype = DTYPE_FP32,
        .grad_dtype = grad_dtype,
        .forward = true,
        .backward = s->backward,
        .core_only = true,
        .seed = 7,
        .sp_size = test_world.size,
        .dp_shard_size = 1,
        .layout = layout,
    };
    method->split(&p);
    return p;
}

static struct group self;

/* The bytes that the transport counted over a pass, the most of any rank. */
static void assert_volume(const struct run *r, uint64_t sent) {
    const struct attention *a = &r->layer.attention;
    group_max_u64(&test_world, &sent, 1);
    assert_int_equal(sent, sp_method_volume(a->method, &a->problem));
}

/* Results of a pass, to see whether the next one gives the same. */
static char *snapshot(const struct attention *a, size_t *bytes) {
    const struct buffer *const buffers[] = {&a->o, &a->dq, &a->dkv};
    *bytes = a->o.bytes + a->dq.bytes + a->dkv.bytes;
    char *copy = malloc(*bytes), *at = copy;
    assert_non_null(copy);
    for (int i = 0; i < 3; i++) {
        if (buffers[i]->bytes > 0)
            memcpy(at, buffers[i]->data, buffers[i]->bytes);
        at += buffers[i]->bytes;
    }
    return copy;
}

static void run_case(const struct problem *p, const struct sp_method *method, const char *algorithm,
                     const struct run *local, double grad_tolerance) {
    struct run r;
    run_open(&r, p, method, &test_world, algorithm, NULL);
    run_pass(&r);
    assert_volume(&r, r.transport->sent[TRAFFIC_SP]);
    assert_int_equal(r.transport->sent[TRAFFIC_PARAM], 0);
    double error[CHECK_TENSORS];
    run_compare(&r, local, error);
    assert_true(error[CHECK_DK] < grad_tolerance && error[CHECK_DV] < grad_tolerance);
    if (grad_tolerance > CHECK_TOLERANCE_FP32)
        error[CHECK_DK] = error[CHECK_DV] = 0;
    assert_errors(error, CHECK_TOLERANCE_FP32);

    size_t bytes;
    char *first = snapshot(&r.layer.attention, &bytes);
    run_pass(&r);
    char *second = snapshot(&r.layer.attention, &bytes);
    assert_memory_equal(first, second, bytes);
    free(second);
    free(first);
    assert_memory_predicted(&r);
    run_close(&r);
}

static void all_layouts(const struct sp_method *method, enum dtype grad_dtype,
                        double grad_tolerance) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (grad_dtype != DTYPE_FP32 && !shapes[i].backward)
            continue;
        const struct problem base = problem_of(&shapes[i], method, LAYOUT_CONTIGUOUS, grad_dtype);
        const struct problem local = local_problem(&base);
        struct run reference;
        run_open(&reference, &local, &sp_local, &self, "pairwise", NULL);
        run_pass(&reference);
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int a = 0; a < (grad_dtype == DTYPE_FP32 ? 2 : 1); a++) {
                const struct problem p =
                    problem_of(&shapes[i], method, (enum layout)layout, grad_dtype);
                run_case(&p, method, algorithms[a], &reference, grad_tolerance);
            }
        run_close(&reference);
    }
}

static void ulysses_agrees_with_local(void **state) {
    (void)state;
    all_layouts(&sp_ulysses, DTYPE_FP32, CHECK_TOLERANCE_FP32);
}

static void ring_agrees_with_local(void **state) {
    (void)state;
    all_layouts(&sp_ring, DTYPE_FP32, CHECK_TOLERANCE_FP32);
}

/* Every hop rounds the sum so far to 8 bits, by up to 2^-9 of it. The sum so far can exceed the
 * whole, as contributions cancel: four times, here. */
static void ring_gradients_may_travel_in_bf16(void **state) {
    (void)state;
    const int hops = test_world.size - 1;
    all_layouts(&sp_ring, DTYPE_BF16, hops > 0 ? 4 * hops / 512.0 : CHECK_TOLERANCE_FP32);
}

static void heads_that_do_not_divide_are_refused(void **state) {
    (void)state;
    const int ranks = test_world.size;
    const struct shape uneven = {1, ranks + 1, 1, true, true}, few = {1, ranks - 1, 1, true, true};
    char why[256] = "";
    struct problem p = problem_of(&uneven, &sp_ulysses, LAYOUT_CONTIGUOUS, DTYPE_FP32);
    assert_int_equal(sp_ulysses.supports(&p, why, sizeof why), ranks == 1);
    assert_int_equal(strlen(why) > 0, ranks > 1);
    assert_true(sp_ring.supports(&p, why, sizeof why));
    if (ranks == 1)
        return;
    p = problem_of(&few, &sp_ulysses, LAYOUT_CONTIGUOUS, DTYPE_FP32);
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

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(ulysses_agrees_with_local),
        cmocka_unit_test(ring_agrees_with_local),
        cmocka_unit_test(ring_gradients_may_travel_in_bf16),
        cmocka_unit_test(heads_that_do_not_divide_are_refused),
        cmocka_unit_test(methods_are_found_by_name),
    };
    group_init(&self, MPI_COMM_SELF, WAIT_YIELD);
    const int failed = cmocka_run_group_tests(all, NULL, NULL);
    group_free(&self);
    return failed;
}
