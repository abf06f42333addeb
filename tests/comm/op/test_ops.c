/* Every operation and pass over every transport: every element right, and bytes counted = bytes
 * predicted. */
#include <string.h>

#include "comm/op/op.h"
#include "comm/shape/staging.h"
#include "comm/wrap/fault.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

/* A way to carry out exchanges. A host of two ranks is pretended for hybrid, so that both of its
 * halves have work. */
struct way {
    const char *transport, *algorithm;
    int ranks_per_host; /* 0: all ranks are on one */
    size_t cache_bytes; /* 0: as it is; 1: everything is large, and streams */
};

static const struct way ways[] = {
    {"mpi", "pairwise", 0, 0}, {"mpi", "alltoall", 0, 0}, {"mpi", "datatype", 0, 0},
    {"mpi", "auto", 0, 0},     {"shm", "auto", 0, 0},     {"shm", "auto", 0, 1},
    {"hybrid", "auto", 2, 0},  {"hybrid", "auto", 2, 1},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static uint64_t host_of(const struct way *way, int rank) {
    return 1 + (uint64_t)(way->ranks_per_host ? rank / way->ranks_per_host : 0);
}

static struct transport *open_way(const struct way *way, struct mem_ledger *ledger,
                                  struct trace *trace) {
    const struct transport_config config = {.algorithm = algorithm_named(way->algorithm),
                                            .ledger = ledger,
                                            .trace = trace,
                                            .world = &test_world,
                                            .host_key = host_of(way, test_world.rank),
                                            .cache_bytes = way->cache_bytes};
    struct transport *t = NULL;
    assert_int_equal(transport_open(transport_named(way->transport), &config, &t), ST_OK);
    return t;
}

static struct op_params by_bytes(size_t bytes, size_t elem_bytes) {
    return (struct op_params){
        .bytes = bytes, .shape = {.elem_bytes = elem_bytes, .grad_bytes = 4}, .seed = 5};
}

static struct op_params by_shape(const struct op_row *row, int batch, int heads, int kv_heads,
                                 size_t elem_bytes) {
    const int ranks = test_world.size;
    const bool usp = strcmp(row->name, "usp") == 0;
    const int ulysses_size = usp ? usp_default_ulysses_size(ranks, kv_heads) : ranks;
    return (struct op_params){.by_shape = true,
                              .seed = 5,
                              .shape = {.batch = batch,
                                        .seq = 6 * (size_t)ranks,
                                        .heads = heads,
                                        .kv_heads = kv_heads,
                                        .head_dim = 16,
                                        .sp_size = ranks,
                                        .ulysses_size = ulysses_size,
                                        .ring_size = usp ? ranks / ulysses_size : ranks,
                                        .elem_bytes = elem_bytes,
                                        .grad_bytes = 4}};
}

static uint64_t wrong_everywhere(struct op *op) {
    uint64_t wrong = op_verify(op);
    group_sum_u64(&test_world, &wrong, 1);
    return wrong;
}

/* The peak must be what the formula says for the algorithms that were chosen on these hosts, and
 * where none had to be chosen, what it says beforehand. */
static void check_peak(const struct way *way, const struct op *op, enum op_pass pass,
                       const struct op_params *p, const struct mem_ledger *ledger) {
    uint64_t keys[16];
    for (int r = 0; r < test_world.size; r++)
        keys[r] = host_of(way, r);
    const struct hosts hosts = {keys, 0, 1};
    const uint64_t planned = op_memory_as_planned(op, &hosts);
    uint64_t x[2] = {ledger->peak[MEM_EXCHANGE] != planned, planned};
    group_max_u64(&test_world, x, 2); /* all ranks stop, or none */
    assert_int_equal(x[0], 0);

    const struct staging how = {.rule = transport_staging(transport_named(way->transport),
                                                          algorithm_named(way->algorithm),
                                                          way->ranks_per_host == 0),
                                .hosts = hosts};
    const size_t most = op_memory(op->row, pass, p, test_world.size, &how);
    if (how.rule.what == STAGED_MOST)
        assert_true(x[1] <= most);
    else
        assert_int_equal(x[1], most);
}

/* Creates, verifies twice (a second run must not build on the first) and counts one run. */
static void try_op(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                   const struct way *way, enum wait_policy wait) {
    struct mem_ledger ledger = {0};
    struct trace trace = {0};
    char why[200];
    if (!op_supports(row, pass, p, test_world.size, why, sizeof why))
        return;
    test_world.wait = wait;
    struct transport *t = open_way(way, &ledger, &trace);
    struct op op;
    assert_int_equal(op_create(row, pass, p, t, &test_world, &op), ST_OK);
    assert_int_equal(wrong_everywhere(&op), 0);
    assert_int_equal(wrong_everywhere(&op), 0);
    const uint64_t before = t->sent[TRAFFIC_SP];
    op_run(&op);
    uint64_t sent = t->sent[TRAFFIC_SP] - before;
    group_max_u64(&test_world, &sent, 1);
    assert_int_equal(sent, op_volume(row, pass, p, test_world.size));
    assert_int_equal(t->sent[TRAFFIC_PARAM], 0);
    check_peak(way, &op, pass, p, &ledger);
    op_free(&op);
    transport_close(t);
    test_world.wait = WAIT_YIELD;
    assert_int_equal(ledger.total_now, 0);
}

/* Both passes are all stages; that each runs alone does not depend on the transport. */
static int first_pass(size_t way) {
    return way == 0 ? OP_FORWARD : OP_BOTH;
}

/* Trials take their time, and what they choose among is tested by name: a few cases are enough. So
 * are they where many ranks share the cores: each way then takes its turn. */
static bool left_out(size_t way, size_t i) {
    enum { FEW = 3 };
    const bool trial =
        strcmp(ways[way].transport, "mpi") == 0 && strcmp(ways[way].algorithm, "auto") == 0;
    return (trial || test_world.size > FEW) && (way + i) % 3 != 1;
}

static void every_op_by_bytes(void **state) {
    (void)state;
    static const size_t sizes[] = {8, 100, 1000, 65536 + 12, 1 << 20};
    for (const struct op_row *const *row = op_table; *row; row++)
        for (size_t w = 0; w < WAYS; w++)
            for (size_t i = 0; i < 5; i++)
                for (int pass = first_pass(w); pass <= OP_BOTH && !left_out(w, i); pass++) {
                    const struct op_params p = by_bytes(sizes[i], i % 2 ? 2 : 4);
                    try_op(*row, (enum op_pass)pass, &p, &ways[w], WAIT_YIELD);
                }
}

static void every_op_by_shape(void **state) {
    (void)state;
    static const int heads[][2] = {{8, 8}, {8, 2}, {8, 1}, {24, 8}, {24, 4}, {12, 3}};
    for (const struct op_row *const *row = op_table; *row; row++)
        for (size_t w = 0; w < WAYS; w++)
            for (size_t h = 0; h < 6; h++)
                for (int pass = first_pass(w); pass <= OP_BOTH && !left_out(w, h); pass++) {
                    const struct op_params p =
                        by_shape(*row, h % 2 ? 1 : 2, heads[h][0], heads[h][1], h < 3 ? 4 : 2);
                    try_op(*row, (enum op_pass)pass, &p, &ways[w],
                           h == 0 ? WAIT_BLOCK : WAIT_YIELD);
                }
}

/* With a core per rank, also the blocking library call, which no other policy uses. */
static void spinning(void **state) {
    (void)state;
    if (test_world.size > 2)
        skip();
    const struct op_params bytes = by_bytes(4096, 4);
    const struct op_params shape = by_shape(op_named("ulysses"), 1, 8, 2, 4);
    for (size_t w = 0; w < WAYS; w++) {
        try_op(op_named("alltoall"), OP_FORWARD, &bytes, &ways[w], WAIT_SPIN);
        try_op(op_named("ulysses"), OP_BOTH, &shape, &ways[w], WAIT_SPIN);
    }
}

/* One flipped byte on one rank is seen, whatever the operation and the transport. */
static void corruption_is_caught(void **state) {
    (void)state;
    if (test_world.size == 1)
        skip();
    const struct fault fault = {FAULT_CORRUPT, test_world.size - 1, 1};
    for (const struct op_row *const *row = op_table; *row; row++)
        for (size_t w = 0; w < WAYS; w++) {
            struct mem_ledger ledger = {0};
            struct trace trace = {0};
            const struct op_params p = by_shape(*row, 1, 24, 4, 4);
            char why[200];
            if (!op_supports(*row, OP_BOTH, &p, test_world.size, why, sizeof why))
                continue;
            long counter = 0;
            struct transport *inner = open_way(&ways[w], &ledger, &trace), *t = NULL;
            struct op op;
            assert_int_equal(fault_open(inner, &fault, test_world.rank, &counter, &t), ST_OK);
            assert_string_equal(t->row->name, ways[w].transport);
            assert_int_equal(op_create(*row, OP_BOTH, &p, t, &test_world, &op), ST_OK);
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
    log_set_rank(0, 1);
    for (size_t w = 0; w < WAYS; w++) {
        struct mem_ledger ledger = {0};
        struct trace trace = {0};
        struct transport *t = open_way(&ways[w], &ledger, &trace);
        struct buffer b;
        assert_int_equal(buffer_alloc(t, MEM_EXCHANGE, 64, &b), ST_OK);
        const int peer = (test_world.rank + 1) % test_world.size;
        const struct block send = {peer, &b, 0, 1, 8, 8};
        const struct plan_spec spec = {&test_world, TRAFFIC_SP, &send, NULL, 1, 0};
        struct plan *plan = NULL;
        assert_int_equal(plan_create(t, &spec, &plan), ST_ENV);
        assert_null(plan);
        buffer_free(t, &b);
        transport_close(t);
    }
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_op_by_bytes),
        cmocka_unit_test(every_op_by_shape),
        cmocka_unit_test(spinning),
        cmocka_unit_test(corruption_is_caught),
        cmocka_unit_test(mismatched_plan_is_refused),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
