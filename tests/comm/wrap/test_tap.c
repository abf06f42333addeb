#include "comm/op/op.h"
#include "comm/wrap/tap.h"
#include "comm/wrap/traffic.h"

#include <stdlib.h>

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

struct fixture {
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *tap;
    struct op op;
};

static const char *const transports[] = {"mpi", "shm", "hybrid"};

static void open_fixture(struct fixture *f, const char *transport) {
    const struct transport_config config = {
        .ledger = &f->ledger, .trace = &f->trace, .world = &test_world, .host_key = 1};
    const struct op_params p = {.bytes = 4096, .shape = {.elem_bytes = 4, .grad_bytes = 4}};
    struct transport *inner = NULL;
    assert_int_equal(transport_open(transport_named(transport), &config, &inner), ST_OK);
    assert_int_equal(tap_open(inner, &f->tap), ST_OK);
    assert_string_equal(f->tap->row->name, transport);
    assert_int_equal(op_create(op_named("ring"), OP_BOTH, &p, f->tap, &test_world, &f->op), ST_OK);
}

static void close_fixture(struct fixture *f) {
    op_free(&f->op);
    transport_close(f->tap);
    assert_int_equal(f->ledger.total_now, 0);
}

/* A stubbed exchange sends nothing and leaves the data of the last real one. */
static void stub_keeps_the_data_over(const char *transport) {
    struct fixture f = {0};
    open_fixture(&f, transport);
    assert_int_equal(op_verify(&f.op), 0);
    const uint64_t sent = f.tap->sent[TRAFFIC_SP];
    tap_set_mode(f.tap, TAP_STUB);
    op_run(&f.op);
    assert_int_equal(f.tap->sent[TRAFFIC_SP], sent);
    if (test_world.size > 1)
        assert_true(op_verify(&f.op) > 0); /* poisoned, and nothing arrives */
    tap_set_mode(f.tap, TAP_PASS);
    assert_int_equal(op_verify(&f.op), 0);
    close_fixture(&f);
}

static void stub_keeps_the_data(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof transports / sizeof transports[0]; i++)
        stub_keeps_the_data_over(transports[i]);
}

/* A replay sends the bytes of the recorded iteration, no more and no less. */
static void replay_repeats_the_exchanges_over(const char *transport) {
    struct fixture f = {0};
    open_fixture(&f, transport);
    uint64_t before = f.tap->sent[TRAFFIC_SP];
    assert_int_equal(tap_record_begin(f.tap), ST_OK);
    op_run(&f.op);
    assert_int_equal(tap_record_end(f.tap), ST_OK);
    const uint64_t once = f.tap->sent[TRAFFIC_SP] - before;
    assert_int_equal(once > 0, test_world.size > 1);
    before = f.tap->sent[TRAFFIC_SP];
    for (int i = 0; i < 3; i++)
        tap_replay(f.tap);
    assert_int_equal(f.tap->sent[TRAFFIC_SP] - before, 3 * once);
    close_fixture(&f);
}

static void replay_repeats_the_exchanges(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof transports / sizeof transports[0]; i++)
        replay_repeats_the_exchanges_over(transports[i]);
}

/* A log of the run has its bytes and messages, of every rank and step: a ring forward and backward,
 * with rank 0 on a host of its own. */
static void a_log_has_what_is_sent(void **state) {
    (void)state;
    const int ranks = test_world.size, rank = test_world.rank;
    struct place places[16] = {{0}};
    struct fixture f = {0};
    struct traffic_log log;
    const struct op_params p = {.bytes = 4096, .shape = {.elem_bytes = 4, .grad_bytes = 4}};
    struct transport *inner = NULL;
    const struct transport_config config = {
        .ledger = &f.ledger, .trace = &f.trace, .world = &test_world, .host_key = 1};
    assert_in_range(ranks, 1, 16);
    places[0].host_key = 1;
    assert_int_equal(transport_open(transport_named("mpi"), &config, &inner), ST_OK);
    assert_int_equal(tap_open(inner, &f.tap), ST_OK);
    const struct transport_ops *own = f.tap->ops;
    traffic_open(&log, f.tap, &test_world, places);
    assert_int_equal(op_create(op_named("ring"), OP_BOTH, &p, f.tap, &test_world, &f.op), ST_OK);
    op_run(&f.op); /* not noted */
    const uint64_t before = f.tap->sent[TRAFFIC_SP];
    traffic_begin(&log);
    op_run(&f.op);
    traffic_end(&log);
    const double once = (double)(f.tap->sent[TRAFFIC_SP] - before);
    assert_ptr_equal(f.tap->ops, own);
    op_run(&f.op); /* nor this */
    size_t steps;
    struct rank_traffic *all = traffic_gather(&log, &steps);
    assert_int_equal(all != NULL, ranks > 1);
    double sent = 0, received = 0;
    for (size_t k = 0; k < steps; k++) {
        const struct rank_traffic *mine = &all[k * (size_t)ranks + (size_t)rank];
        const bool crosses = rank == 0 || rank == 1 || rank == ranks - 1;
        for (int c = 0; c < LINK_CLASSES; c++) {
            sent += mine->sent[c];
            received += mine->received[c];
            assert_int_equal(mine->messages[c] > 0, mine->sent[c] + mine->received[c] > 0);
        }
        assert_int_equal(mine->flow > 0, crosses);
        assert_true((mine->sent[LINK_NETWORK] > 0) == (rank == 0 || rank == ranks - 1));
    }
    assert_true(sent == once && received == once);
    free(all);
    traffic_close(&log);
    close_fixture(&f);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(stub_keeps_the_data),
        cmocka_unit_test(replay_repeats_the_exchanges),
        cmocka_unit_test(a_log_has_what_is_sent),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
