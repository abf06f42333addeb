/* Every operation, pass and algorithm: every element right, and bytes counted = bytes predicted. */
#include "comm/fault.h"
#include "comm/op.h"

#include "tests/mpi_test.h"

static struct op_params by_bytes(size_t bytes, size_t elem_bytes) {
    return (struct op_params){
        .bytes = bytes, .shape = {.elem_bytes = elem_bytes, .grad_bytes = 4}, .seed = 5};
}

static struct op_params by_shape(int batch, int heads, int kv_heads, size_t elem_bytes) {
    const int ranks = test_world.size;
    return (struct op_params){.by_shape = true,
                              .seed = 5,
                              .shape = {.batch = batch,
                                        .seq = 6 * (size_t)ranks,
                                        .heads = heads,
                                        .kv_heads = kv_heads,
                                        .head_dim = 16,
                                        .sp_size = ranks,
                                        .ulysses_size = ranks,
                                        .ring_size = ranks,
                                        .elem_bytes = elem_bytes,
                                        .grad_bytes = 4}};
}

static uint64_t wrong_everywhere(struct op *op) {
    uint64_t wrong = op_verify(op);
    group_sum_u64(&test_world, &wrong, 1);
    return wrong;
}

/* Creates, verifies twice (a second run must not build on the first) and counts one run. */
static void try_op(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                   const char *algorithm, enum wait_policy wait) {
    struct mem_ledger ledger = {0};
    struct trace trace = {0};
    const struct transport_config config = {algorithm, &ledger, &trace};
    char why[200];
    if (!op_supports(row, pass, p, test_world.size, why, sizeof why))
        return;
    test_world.wait = wait;
    struct transport *t = NULL;
    struct op op;
    assert_int_equal(transport_open("mpi", &config, &t), ST_OK);
    assert_int_equal(op_create(row, pass, p, t, &test_world, &op), ST_OK);
    assert_int_equal(wrong_everywhere(&op), 0);
    assert_int_equal(wrong_everywhere(&op), 0);
    const uint64_t before = t->sent[TRAFFIC_SP];
    op_run(&op);
    uint64_t sent = t->sent[TRAFFIC_SP] - before;
    group_max_u64(&test_world, &sent, 1);
    assert_int_equal(sent, op_volume(row, pass, p, test_world.size));
    assert_int_equal(t->sent[TRAFFIC_PARAM], 0);
    uint64_t peak = ledger.peak[MEM_EXCHANGE];
    group_max_u64(&test_world, &peak, 1);
    assert_int_equal(peak, op_memory(row, pass, p, test_world.size, algorithm));
    op_free(&op);
    transport_close(t);
    test_world.wait = WAIT_YIELD;
    assert_int_equal(ledger.total_now, 0);
}

static void every_op_by_bytes(void **state) {
    (void)state;
    static const size_t sizes[] = {8, 100, 1000, 65536 + 12, 1 << 20};
    static const char *const algorithms[] = {"pairwise", "alltoall"};
    for (const struct op_row *row = op_table; row->name; row++)
        for (size_t a = 0; a < 2; a++)
            for (size_t i = 0; i < 5; i++)
                for (int pass = OP_FORWARD; pass <= OP_BOTH; pass++) {
                    const struct op_params p = by_bytes(sizes[i], i % 2 ? 2 : 4);
                    try_op(row, (enum op_pass)pass, &p, algorithms[a], WAIT_YIELD);
                }
}

static void every_op_by_shape(void **state) {
    (void)state;
    static const int heads[][2] = {{8, 8}, {8, 2}, {8, 1}, {24, 8}, {24, 4}, {12, 3}};
    static const char *const algorithms[] = {"pairwise", "alltoall"};
    for (const struct op_row *row = op_table; row->name; row++)
        for (size_t a = 0; a < 2; a++)
            for (size_t h = 0; h < 6; h++)
                for (int pass = OP_FORWARD; pass <= OP_BOTH; pass++) {
                    const struct op_params p =
                        by_shape(h % 2 ? 1 : 2, heads[h][0], heads[h][1], h < 3 ? 4 : 2);
                    try_op(row, (enum op_pass)pass, &p, algorithms[a],
                           h == 0 ? WAIT_BLOCK : WAIT_YIELD);
                }
}

/* The blocking library call, which only ranks with a core each use. */
static void spinning_alltoall(void **state) {
    (void)state;
    if (test_world.size > 2)
        skip();
    const struct op_params bytes = by_bytes(4096, 4), shape = by_shape(1, 8, 2, 4);
    try_op(op_find("alltoall"), OP_FORWARD, &bytes, "alltoall", WAIT_SPIN);
    try_op(op_find("ulysses"), OP_BOTH, &shape, "alltoall", WAIT_SPIN);
}

/* One flipped byte on one rank is seen, whatever the operation. */
static void corruption_is_caught(void **state) {
    (void)state;
    if (test_world.size == 1)
        skip();
    const struct fault fault = {FAULT_CORRUPT, test_world.size - 1, 1};
    for (const struct op_row *row = op_table; row->name; row++) {
        struct mem_ledger ledger = {0};
        struct trace trace = {0};
        const struct transport_config config = {"auto", &ledger, &trace};
        const struct op_params p = by_shape(1, 24, 4, 4);
        long counter = 0;
        struct transport *inner = NULL, *t = NULL;
        struct op op;
        assert_int_equal(transport_open("mpi", &config, &inner), ST_OK);
        assert_int_equal(fault_open(inner, &fault, test_world.rank, &counter, &t), ST_OK);
        assert_int_equal(op_create(row, OP_BOTH, &p, t, &test_world, &op), ST_OK);
        assert_true(wrong_everywhere(&op) > 0);
        op_free(&op);
        transport_close(t);
    }
}

/* Descriptors that do not match are an error on every rank, not a hang. */
static void mismatched_plan_is_refused(void **state) {
    (void)state;
    if (test_world.size == 1)
        skip();
    struct mem_ledger ledger = {0};
    struct trace trace = {0};
    const struct transport_config config = {"auto", &ledger, &trace};
    struct transport *t = NULL;
    struct buffer b;
    assert_int_equal(transport_open("mpi", &config, &t), ST_OK);
    assert_int_equal(buffer_alloc(t, MEM_EXCHANGE, 64, &b), ST_OK);
    const int peer = (test_world.rank + 1) % test_world.size;
    const struct block send = {peer, &b, 0, 1, 8, 8};
    const struct plan_spec spec = {&test_world, TRAFFIC_SP, &send, NULL, 1, 0};
    struct plan *plan = NULL;
    log_set_rank(0, 1);
    assert_int_equal(plan_create(t, &spec, &plan), ST_ENV);
    assert_null(plan);
    buffer_free(t, &b);
    transport_close(t);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_op_by_bytes),          cmocka_unit_test(every_op_by_shape),
        cmocka_unit_test(spinning_alltoall),          cmocka_unit_test(corruption_is_caught),
        cmocka_unit_test(mismatched_plan_is_refused),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
