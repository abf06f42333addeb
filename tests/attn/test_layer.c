/* The whole layer over dp_shard x sp ranks against one rank with all the data. */
#include "tests/attn/sp_case.h"

/* Divided among 8 ranks, the weights leave a remainder: shards are padded. */
static const struct shape {
    int batch, heads, kv_heads, head_dim, hidden;
    bool causal, backward;
} shapes[] = {
    {1, 24, 24, 8, 33, true, true},
    {2, 24, 3, 8, 40, true, true},
    {1, 24, 8, 8, 20, false, false},
};

static struct group self;

/* What a test varies beside the shape and the grid. */
struct variant {
    int32_t seq;
    bool separate_qkv;
    int kv_groups;
};

static struct problem problem_of(const struct shape *s, const struct sp_method *method, int sp_size,
                                 enum placement placement, const struct variant *v) {
    struct problem p = {
        .batch = s->batch,
        .seq = v->seq,
        .heads = s->heads,
        .kv_heads = s->kv_heads,
        .head_dim = s->head_dim,
        .hidden = s->hidden,
        .rope_theta = 10000,
        .mask = {.causal = s->causal},
        .dtype = DTYPE_FP32,
        .grad_dtype = DTYPE_FP32,
        .forward = true,
        .backward = s->backward,
        .seed = 11,
        .sp_size = sp_size,
        .dp_shard_size = test_world.size / sp_size,
        .placement = placement,
        .fuse_qkv = !v->separate_qkv,
        .overlap = true,
        .kv_groups = v->kv_groups,
    };
    method->split(&p);
    p.layout = method->default_layout(&p);
    problem_pad(&p);
    return p;
}

/* What ZeRO-3 moves, in bytes that every rank sends: the same for all, shards being equal. */
static void assert_param_bytes(const struct run *r) {
    const struct problem *p = &r->layer.attention.problem;
    assert_int_equal(r->transport->sent[TRAFFIC_PARAM], predict_param_bytes(p, test_world.size));
}

static void run_case(const struct problem *p, const struct sp_method *method, const char *algorithm,
                     const struct run *local) {
    struct run r;
    double error[CHECK_TENSORS];
    struct check_report report;
    run_open(&r, p, method, &test_world, algorithm, NULL);
    run_pass(&r);
    assert_param_bytes(&r);
    run_compare(&r, local, error);
    assert_errors(error, CHECK_TOLERANCE_FP32);
    assert_int_equal(check_layer(&r.layer, &report), ST_OK);
    assert_errors(report.error, CHECK_TOLERANCE_FP32);
    assert_true(report.ok && report.rows > 0);
    assert_memory_predicted(&r);
    run_close(&r);
}

static const struct variant plain = {.seq = 96};

static void all_grids(const struct sp_method *method, const char *algorithm,
                      const struct variant *v) {
    /* Ranks in a crowd are slow: they leave out what fewer have tested. */
    const bool crowd = test_world.size > 4;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i += crowd ? 2 : 1)
        for (int sp = crowd ? 4 : 1; sp <= test_world.size; sp++) {
            if (test_world.size % sp != 0)
                continue;
            const struct problem inner = problem_of(&shapes[i], method, sp, SP_INNER, v);
            const struct problem outer = problem_of(&shapes[i], method, sp, SP_OUTER, v);
            const struct problem one = local_problem(&inner);
            struct run local;
            run_open(&local, &one, &sp_local, &self, algorithm, NULL);
            run_pass(&local);
            run_case(&inner, method, algorithm, &local);
            if (sp > 1 && sp < test_world.size)
                run_case(&outer, method, algorithm, &local);
            run_close(&local);
        }
}

static void ulysses_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_ulysses, "pairwise", &plain);
}

static void ring_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_ring, "pairwise", &plain);
}

static void alltoall_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_ulysses, "alltoall", &plain);
}

/* K and V are exchanged while Q is projected. */
static void overlapped_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_ulysses, "pairwise", &(struct variant){.seq = 96, .separate_qkv = true});
}

static void usp_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_usp, "pairwise", &(struct variant){.seq = 96, .separate_qkv = true});
}

static void allgather_layer_agrees_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_allgather, "alltoall", &(struct variant){.seq = 96, .kv_groups = 2});
}

/* 91 tokens divide over no number of ranks here but one. */
static void padded_layers_agree_with_one_rank(void **state) {
    (void)state;
    all_grids(&sp_ulysses, "alltoall", &(struct variant){.seq = 91});
    all_grids(&sp_ring, "pairwise", &(struct variant){.seq = 91});
}

/* Only data parallelism: each group has its own sequences on one rank. */
static void local_layer_agrees_with_one_rank(void **state) {
    (void)state;
    const struct problem p = problem_of(&shapes[1], &sp_local, 1, SP_INNER, &plain);
    const struct problem one = local_problem(&p);
    struct run local;
    run_open(&local, &one, &sp_local, &self, "pairwise", NULL);
    run_pass(&local);
    run_case(&p, &sp_local, "pairwise", &local);
    run_close(&local);
}

/* A pass that is only the backward one sends what the formula says, too. */
static void backward_alone_moves_its_own_bytes(void **state) {
    (void)state;
    struct problem p = problem_of(&shapes[0], &sp_ring, test_world.size, SP_INNER, &plain);
    p.forward = false;
    struct run r;
    run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
    layer_forward(&r.layer);
    const uint64_t before[TRAFFIC_KINDS] = {r.transport->sent[0], r.transport->sent[1]};
    run_pass(&r);
    assert_int_equal(r.transport->sent[TRAFFIC_SP] - before[TRAFFIC_SP],
                     sp_method_volume(&sp_ring, &p));
    assert_int_equal(r.transport->sent[TRAFFIC_PARAM] - before[TRAFFIC_PARAM],
                     predict_param_bytes(&p, test_world.size));
    run_close(&r);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(ulysses_layer_agrees_with_one_rank),
        cmocka_unit_test(ring_layer_agrees_with_one_rank),
        cmocka_unit_test(alltoall_layer_agrees_with_one_rank),
        cmocka_unit_test(overlapped_layer_agrees_with_one_rank),
        cmocka_unit_test(usp_layer_agrees_with_one_rank),
        cmocka_unit_test(allgather_layer_agrees_with_one_rank),
        cmocka_unit_test(padded_layers_agree_with_one_rank),
        cmocka_unit_test(local_layer_agrees_with_one_rank),
        cmocka_unit_test(backward_alone_moves_its_own_bytes),
    };
    group_init(&self, MPI_COMM_SELF, WAIT_YIELD);
    const int failed = cmocka_run_group_tests(all, NULL, NULL);
    group_free(&self);
    return failed;
}
