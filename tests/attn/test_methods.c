/* Every method against `local`, on every token: results, bytes sent and memory used. */
#include <stdlib.h>
#include <string.h>

#include "tests/attn/sp_case.h"

/* KV heads below, at and above 1, 2, 3, 4 and 8 ranks, and at places where a rank's query heads
 * begin amid a group; heads that divide over the ranks and that do not. 96 tokens are a tile and a
 * half.
 */
static const struct shape {
    int batch, heads, kv_heads;
    bool causal, backward;
} shapes[] = {
    {1, 24, 24, true, true}, {2, 24, 6, true, true},  {1, 24, 3, false, true},
    {2, 24, 1, true, true},  {1, 24, 8, true, false}, {2, 24, 2, false, false},
    {2, 10, 5, true, true},  {1, 14, 7, false, true}, {1, 9, 9, true, true},
    {1, 28, 4, true, false},
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
        .fuse_qkv = true,
        .overlap = true,
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

/* The variants of one shape, given its results on one rank. */
typedef void variants_fn(const struct shape *s, const struct run *reference);

static void all_shapes(variants_fn *variants) {
    /* Ranks in a crowd are slow: they take every other shape. */
    for (size_t i = 0; i<sizeof shapes / sizeof shapes[0]; i += test_world.size> 4 ? 2 : 1) {
        const struct problem base =
            problem_of(&shapes[i], &sp_local, LAYOUT_CONTIGUOUS, DTYPE_FP32);
        const struct problem local = local_problem(&base);
        struct run reference;
        run_open(&reference, &local, &sp_local, &self, "pairwise", NULL);
        run_pass(&reference);
        variants(&shapes[i], &reference);
        run_close(&reference);
    }
}

static bool enough_heads(const struct problem *p) {
    return p->heads >= p->ulysses_size;
}

/* Algorithms take turns: over all shapes each meets each layout. */
static void all_layouts(const struct shape *s, const struct sp_method *method,
                        const struct run *reference) {
    for (int layout = 0; layout < LAYOUTS; layout++) {
        const struct problem p = problem_of(s, method, (enum layout)layout, DTYPE_FP32);
        if (enough_heads(&p))
            run_case(&p, method, algorithms[(layout + s->kv_heads) % 2], reference,
                     CHECK_TOLERANCE_FP32);
    }
}

static void ulysses_variants(const struct shape *s, const struct run *reference) {
    all_layouts(s, &sp_ulysses, reference);
    for (int v = 0; v < 2; v++) {
        struct problem p = problem_of(s, &sp_ulysses, LAYOUT_ZIGZAG, DTYPE_FP32);
        p.fuse_qkv = false;
        p.overlap = v == 0;
        if (enough_heads(&p))
            run_case(&p, &sp_ulysses, algorithms[v], reference, CHECK_TOLERANCE_FP32);
    }
}

static void ulysses_agrees_with_local(void **state) {
    (void)state;
    all_shapes(ulysses_variants);
}

static void ring_variants(const struct shape *s, const struct run *reference) {
    all_layouts(s, &sp_ring, reference);
    struct problem p = problem_of(s, &sp_ring, LAYOUT_ZIGZAG, DTYPE_FP32);
    p.overlap = false;
    run_case(&p, &sp_ring, "pairwise", reference, CHECK_TOLERANCE_FP32);
}

static void ring_agrees_with_local(void **state) {
    (void)state;
    all_shapes(ring_variants);
}

/* Every hop rounds the sum so far to 8 bits, by up to 2^-9 of it. The sum so far can exceed the
 * whole, as contributions cancel: four times, here. */
static double bf16_tolerance(int hops) {
    return hops > 0 ? 4 * hops / 512.0 : CHECK_TOLERANCE_FP32;
}

static void ring_bf16_variants(const struct shape *s, const struct run *reference) {
    const struct problem p = problem_of(s, &sp_ring, LAYOUT_ZIGZAG, DTYPE_BF16);
    if (s->backward)
        run_case(&p, &sp_ring, "pairwise", reference, bf16_tolerance(test_world.size - 1));
}

static void ring_gradients_may_travel_in_bf16(void **state) {
    (void)state;
    all_shapes(ring_bf16_variants);
}

/* Every split of the ranks, in orders, layouts and algorithms that the shapes take turns with. */
static void usp_variants(const struct shape *s, const struct run *reference) {
    const int ranks = test_world.size;
    for (int u = 1; u <= ranks; u++) {
        const int turn = s->heads + s->kv_heads + u / 2;
        struct problem p = problem_of(s, &sp_usp, (enum layout)(turn % LAYOUTS), DTYPE_FP32);
        p.inner = turn % 2 == 0 ? USP_INNER_ULYSSES : USP_INNER_RING;
        p.ulysses_size = u;
        p.fuse_qkv = s->kv_heads % 2 == 0;
        sp_usp.split(&p);
        if (ranks % u == 0 && enough_heads(&p))
            run_case(&p, &sp_usp, algorithms[s->heads / 2 % 2], reference, CHECK_TOLERANCE_FP32);
    }
}

static void usp_agrees_with_local(void **state) {
    (void)state;
    all_shapes(usp_variants);
}

/* One group of heads, two, and as many as there are heads. */
static void allgather_variants(const struct shape *s, const struct run *reference) {
    const int groups[LAYOUTS] = {1, s->kv_heads > 1 ? 2 : 1, s->kv_heads};
    for (int v = 0; v < LAYOUTS; v++) {
        struct problem p = problem_of(s, &sp_allgather, (enum layout)v, DTYPE_FP32);
        p.kv_groups = groups[v];
        p.overlap = (v + s->kv_heads) % 2 == 0;
        run_case(&p, &sp_allgather, algorithms[(v + s->heads / 2) % 2], reference,
                 CHECK_TOLERANCE_FP32);
    }
}

static void allgather_agrees_with_local(void **state) {
    (void)state;
    all_shapes(allgather_variants);
}

/* Each of P contributions is rounded, by up to 2^-9 of it. One can exceed the whole: twice, here.
 */
static void allgather_bf16_variants(const struct shape *s, const struct run *reference) {
    const int ranks = test_world.size;
    for (int groups = 1; groups <= 2 && groups <= s->kv_heads && s->backward; groups++) {
        struct problem p = problem_of(s, &sp_allgather, LAYOUT_CONTIGUOUS, DTYPE_BF16);
        p.kv_groups = groups;
        run_case(&p, &sp_allgather, "pairwise", reference,
                 ranks > 1 ? 2 * ranks / 512.0 : CHECK_TOLERANCE_FP32);
    }
}

static void gathered_gradients_may_travel_in_bf16(void **state) {
    (void)state;
    all_shapes(allgather_bf16_variants);
}

/* 83 tokens divide over no number of ranks but one; of 5, most ranks have none. */
static void padded(int32_t seq) {
    static const struct shape padded_shapes[] = {{2, 10, 5, true, true}, {1, 24, 6, false, true}};
    for (int i = 0; i < 2; i++) {
        struct problem local = problem_of(&padded_shapes[i], &sp_local, 0, DTYPE_FP32);
        local.seq = seq;
        local = local_problem(&local);
        struct run reference;
        run_open(&reference, &local, &sp_local, &self, "pairwise", NULL);
        run_pass(&reference);
        for (int m = 1; sp_methods[m]; m++) {
            const enum layout layout = (enum layout)((m + i + seq) % LAYOUTS);
            struct problem p = problem_of(&padded_shapes[i], sp_methods[m], layout, DTYPE_FP32);
            p.seq = seq;
            p.kv_groups = 2;
            problem_pad(&p);
            assert_true(problem_padded_seq(&p) >= seq);
            run_case(&p, sp_methods[m], algorithms[m % 2], &reference, CHECK_TOLERANCE_FP32);
        }
        run_close(&reference);
    }
}

static void padding_changes_nothing(void **state) {
    (void)state;
    padded(83);
    padded(5);
}

static void limits_are_told(void **state) {
    (void)state;
    const int ranks = test_world.size;
    const struct shape uneven = {1, ranks + 1, 1, true, true}, few = {1, ranks - 1, 1, true, true};
    char why[256] = "";
    struct problem p = problem_of(&uneven, &sp_ulysses, LAYOUT_CONTIGUOUS, DTYPE_FP32);
    assert_true(sp_ulysses.supports(&p, why, sizeof why));
    assert_true(sp_ring.supports(&p, why, sizeof why));
    p.ulysses_size = ranks + 1;
    sp_usp.split(&p);
    assert_false(sp_usp.supports(&p, why, sizeof why));
    assert_non_null(strstr(why, "does not divide"));
    p.kv_groups = 2;
    assert_false(sp_allgather.supports(&p, why, sizeof why));
    assert_non_null(strstr(why, "only 1 KV head"));
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
        cmocka_unit_test(usp_agrees_with_local),
        cmocka_unit_test(allgather_agrees_with_local),
        cmocka_unit_test(gathered_gradients_may_travel_in_bf16),
        cmocka_unit_test(padding_changes_nothing),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(methods_are_found_by_name),
    };
    group_init(&self, MPI_COMM_SELF, WAIT_YIELD);
    const int failed = cmocka_run_group_tests(all, NULL, NULL);
    group_free(&self);
    return failed;
}
