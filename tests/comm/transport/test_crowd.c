/* Many ranks a core, which only works if those that wait sleep: every operation, verified. */
#include <string.h>

#include "comm/op/op.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

static void try_op(const struct op_row *row, struct op_params *p) {
    struct mem_ledger ledger = {0};
    struct trace trace = {0};
    const struct transport_config config = {
        .ledger = &ledger, .trace = &trace, .world = &test_world, .host_key = 1};
    struct transport *t = NULL;
    struct op op;
    const bool usp = strcmp(row->name, "usp") == 0;
    p->shape.ulysses_size = usp ? 4 : test_world.size;
    p->shape.ring_size = test_world.size / (usp ? 4 : 1);
    assert_int_equal(transport_open(transport_named("shm"), &config, &t), ST_OK);
    assert_int_equal(op_create(row, OP_BOTH, p, t, &test_world, &op), ST_OK);
    uint64_t wrong = op_verify(&op);
    group_sum_u64(&test_world, &wrong, 1);
    assert_int_equal(wrong, 0);
    const uint64_t before = t->sent[TRAFFIC_SP];
    op_run(&op);
    uint64_t sent = t->sent[TRAFFIC_SP] - before;
    group_max_u64(&test_world, &sent, 1);
    assert_int_equal(sent, op_volume(row, OP_BOTH, p, test_world.size));
    op_free(&op);
    transport_close(t);
    assert_int_equal(ledger.total_now, 0);
}

static void every_operation(void **state) {
    (void)state;
    const int ranks = test_world.size;
    struct op_params p = {.by_shape = true,
                          .seed = 5,
                          .shape = {.batch = 1,
                                    .seq = 2 * (size_t)ranks,
                                    .heads = ranks,
                                    .kv_heads = 8,
                                    .head_dim = 16,
                                    .sp_size = ranks,
                                    .elem_bytes = 2,
                                    .grad_bytes = 4}};
    test_world.wait = WAIT_BLOCK;
    for (const struct op_row *const *row = op_table; *row; row++)
        try_op(*row, &p);
}

int tests(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
