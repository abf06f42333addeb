/* Exchanges that run while something is computed, against the same ones before or after. */
#include "tests/attn/method/sp_case.h"

static int polls;
static const struct transport_ops *real_ops;

static bool counted_progress(struct plan *plan) {
    polls++;
    return real_ops->plan_progress(plan);
}

/* The transport itself, counting the polls: waiting does not go through plan_progress(). */
static struct transport *count_polls(struct transport *t) {
    static struct transport_ops counting;
    real_ops = t->ops;
    counting = *t->ops;
    counting.plan_progress = counted_progress;
    t->ops = &counting;
    polls = 0;
    return t;
}

static const struct variant {
    const struct sp_method *method;
    bool separate_qkv;
    int kv_groups;
    enum dtype dtype;
} variants[] = {
    {&sp_ulysses, true, 0, DTYPE_BF16},    {&sp_ulysses, false, 0, DTYPE_FP32},
    {&sp_ring, false, 0, DTYPE_FP32},      {&sp_usp, true, 0, DTYPE_FP32},
    {&sp_allgather, false, 1, DTYPE_FP32}, {&sp_allgather, false, 2, DTYPE_FP32},
};

static struct problem problem_of(const struct variant *v) {
    struct problem p = {.batch = 2,
                        .seq = 96,
                        .heads = 24,
                        .kv_heads = 3,
                        .head_dim = 8,
                        .hidden = 40,
                        .rope_theta = 10000,
                        .mask = {.causal = true},
                        .dtype = v->dtype,
                        .grad_dtype = DTYPE_FP32,
                        .forward = true,
                        .backward = true,
                        .seed = 11,
                        .sp_size = test_world.size,
                        .dp_shard_size = 1,
                        .fuse_qkv = !v->separate_qkv,
                        .overlap = true,
                        .kv_groups = v->kv_groups};
    v->method->split(&p);
    p.layout = v->method->default_layout(&p);
    return p;
}

static void assert_same_results(const struct layer *x, const struct layer *y) {
    const struct problem *p = &x->attention.problem;
    const size_t bytes =
        sizeof(float) * (size_t)(p->hidden * p->batch) * (size_t)problem_local_tokens(p);
    assert_memory_equal(x->y, y->y, bytes);
    assert_memory_equal(x->dx, y->dx, bytes);
    assert_memory_equal(x->qkv.grad_shard.data, y->qkv.grad_shard.data, y->qkv.grad_shard.bytes);
    assert_memory_equal(x->out.grad_shard.data, y->out.grad_shard.data, y->out.grad_shard.bytes);
}

/* What is exchanged is the same, and so is the result, bit for bit. */
static void overlap_changes_when_and_not_what(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        struct problem p = problem_of(&variants[i]);
        struct run with, without;
        run_open(&with, &p, variants[i].method, &test_world, "pairwise", count_polls);
        run_pass(&with);
        assert_int_equal(polls > 0, test_world.size > 1);
        p.overlap = false;
        run_open(&without, &p, variants[i].method, &test_world, "pairwise", count_polls);
        run_pass(&without);
        assert_int_equal(polls, 0);
        for (int k = 0; k < TRAFFIC_KINDS; k++)
            assert_int_equal(with.transport->sent[k], without.transport->sent[k]);
        assert_same_results(&with.layer, &without.layer);
        run_close(&without);
        run_close(&with);
    }
}

int tests(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(overlap_changes_when_and_not_what)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
