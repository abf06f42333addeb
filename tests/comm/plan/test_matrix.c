/* The exchanges over shapes: heads that do and do not divide over the ranks, replicated K/V, splits
 * of usp, on every kind of transport. Every element right, every rank's bytes and the memory as
 * predicted. */
#include <string.h>

#include "comm/op/op.h"
#include "comm/shape/staging.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

static const int all_heads[] = {8, 12, 28, 32, 40}, all_kv_heads[] = {1, 2, 4, 7, 8, 40};
enum {
    HEADS = sizeof all_heads / sizeof *all_heads,
    KVS = sizeof all_kv_heads / sizeof *all_kv_heads
};

/* What is open for as long as the test runs: transports cost more than exchanges do. */
struct way {
    const char *transport, *algorithm;
    int ranks_per_host; /* 0: all */
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *t;
};

static uint64_t host_of(const struct way *way, int rank) {
    return 1 + (uint64_t)(way->ranks_per_host ? rank / way->ranks_per_host : 0);
}

static void open_way(struct way *way) {
    const struct transport_config config = {.algorithm = algorithm_named(way->algorithm),
                                            .ledger = &way->ledger,
                                            .trace = &way->trace,
                                            .world = &test_world,
                                            .host_key = host_of(way, test_world.rank)};
    assert_int_equal(transport_open(transport_named(way->transport), &config, &way->t), ST_OK);
}

static void close_way(struct way *way) {
    transport_close(way->t);
    assert_int_equal(way->ledger.total_now, 0);
}

static struct op_params shape(int heads, int kv_heads, int ulysses_size) {
    const int ranks = test_world.size;
    return (struct op_params){.by_shape = true,
                              .seed = 7,
                              .shape = {.batch = heads == 12 ? 2 : 1,
                                        .seq = 2 * (size_t)ranks,
                                        .heads = heads,
                                        .kv_heads = kv_heads,
                                        .head_dim = 4,
                                        .sp_size = ranks,
                                        .ulysses_size = ulysses_size,
                                        .ring_size = ranks / ulysses_size,
                                        .elem_bytes = heads == 28 ? 4 : 2,
                                        .grad_bytes = kv_heads == 2 ? 2 : 4}};
}

/* Of so many cases one, with so many ranks a core that every collective takes long. */
static int one_of(int crowded, int very_crowded) {
    return test_world.size > 8 ? very_crowded : test_world.size > 5 ? crowded : 1;
}

/* Whether every rank's peak is what the formula says once its exchanges are planned, and the most
 * what it says beforehand. */
static bool peaks_as_predicted(const struct way *way, const struct op *op) {
    uint64_t keys[16];
    for (int r = 0; r < test_world.size; r++)
        keys[r] = host_of(way, r);
    const struct staging how = {.rule = transport_staging(transport_named(way->transport),
                                                          algorithm_named(way->algorithm),
                                                          way->ranks_per_host == 0),
                                .hosts = {keys, 0, 1}};
    const uint64_t peak = way->ledger.peak[MEM_EXCHANGE];
    uint64_t x[2] = {peak, peak != op_memory_as_planned(op, &how.hosts)};
    group_max_u64(&test_world, x, 2);
    return x[1] == 0 &&
           x[0] == op_memory(op->row, OP_BOTH, &op->stages[0].params, test_world.size, &how);
}

/* Both passes of one operation. All ranks come to the same result: a rank that stopped alone would
 * leave the others waiting. */
static void check(struct way *way, const char *name, const struct op_params *p) {
    const struct op_row *row = op_named(name);
    const int ranks = test_world.size;
    char why[200] = "";
    struct op op;
    way->ledger.peak[MEM_EXCHANGE] = way->ledger.now[MEM_EXCHANGE][MEM_SHARED];
    assert_true(op_supports(row, OP_BOTH, p, ranks, why, sizeof why));
    assert_int_equal(op_create(row, OP_BOTH, p, way->t, &test_world, &op), ST_OK);
    uint64_t result[2] = {op_verify(&op), 0};
    const uint64_t before = way->t->sent[TRAFFIC_SP];
    op_run(&op);
    const uint64_t sent = way->t->sent[TRAFFIC_SP] - before;
    result[1] = sent != op_rank_volume(row, OP_BOTH, p, ranks, test_world.rank);
    group_sum_u64(&test_world, result, 2);
    const bool peaks_right = peaks_as_predicted(way, &op);
    if (result[0] + result[1] > 0 || !peaks_right)
        print_message("%s over %s: heads %d, kv_heads %d, U %d, R %d; peak %zu\n", name,
                      way->transport, p->shape.heads, p->shape.kv_heads, p->shape.ulysses_size,
                      p->shape.ring_size, way->ledger.peak[MEM_EXCHANGE]);
    assert_int_equal(result[0], 0); /* wrong elements */
    assert_int_equal(result[1], 0); /* ranks whose bytes differ */
    assert_true(peaks_right);
    op_free(&op);
}

static void check_ulysses(struct way *way, int heads, int kv_heads, int number) {
    struct op_params p = shape(heads, kv_heads, test_world.size);
    if (heads < test_world.size)
        return;
    p.separate_qkv = number % 2 == 1;
    check(way, "ulysses", &p);
    if (one_of(1, 2) > 1)
        return; /* the two take turns */
    p.separate_qkv = !p.separate_qkv;
    check(way, "ulysses", &p);
}

/* One of the splits into Ulysses groups and rings that are more than one of the two, in either rank
 * order; shapes take turns with them. MPI takes long to split a communicator where ranks share
 * cores. */
static void check_usp(struct way *way, int heads, int kv_heads, int number) {
    const int ranks = test_world.size, skip = one_of(2, 4);
    int sizes[16], n = 0;
    for (int u = 2; u < ranks; u++)
        if (ranks % u == 0)
            sizes[n++] = u;
    if (n == 0 || number % skip != 0)
        return;
    const int turn = number / skip;
    struct op_params p = shape(heads, kv_heads, sizes[turn % n]);
    p.inner = turn / n % 2 ? USP_INNER_RING : USP_INNER_ULYSSES;
    p.separate_qkv = turn % 3 == 2;
    check(way, "usp", &p);
}

static void check_rings(struct way *way, int heads, int kv_heads) {
    struct op_params p = shape(heads, kv_heads, 1);
    check(way, "allgather", &p);
    check(way, "reduce-scatter", &p);
    check(way, "ring", &p);
    p.both_ways = true;
    check(way, "ring", &p);
    check(way, "ring-hop", &p);
}

/* heads in {8, 12, 28, 32, 40} x the kv_heads of {1, 2, 4, 7, 8, 40} that divide them; of `every`
 * of them one. Rings and gathers know K/V heads only. */
static void check_shapes(struct way *way, int every) {
    int number = 0;
    bool ring_done[KVS] = {false};
    open_way(way);
    for (size_t h = 0; h < HEADS; h++)
        for (size_t k = 0; k < KVS; k++) {
            const int heads = all_heads[h], kv_heads = all_kv_heads[k];
            if (heads % kv_heads != 0 || number++ % every != 0)
                continue;
            check_ulysses(way, heads, kv_heads, number / every);
            check_usp(way, heads, kv_heads, number / every);
            if (!ring_done[k] && k % (size_t)one_of(2, 4) == 0)
                check_rings(way, heads, kv_heads);
            ring_done[k] = true;
        }
    close_way(way);
}

/* Over the slower transports, fewer shapes. */
static int thinned(void) {
    return 2 * one_of(3, 4);
}

static void over_shm(void **state) {
    (void)state;
    struct way way = {.transport = "shm", .algorithm = "auto"};
    check_shapes(&way, 1);
}

/* Hosts of three ranks: the last one may have fewer. */
static void over_hybrid(void **state) {
    (void)state;
    struct way way = {.transport = "hybrid", .algorithm = "auto", .ranks_per_host = 3};
    check_shapes(&way, thinned());
}

static void over_mpi(void **state) {
    (void)state;
    struct way way = {.transport = "mpi", .algorithm = "pairwise"};
    check_shapes(&way, thinned());
}

static void over_alltoall(void **state) {
    (void)state;
    struct way way = {.transport = "mpi", .algorithm = "alltoall"};
    if (test_world.size > 5)
        skip(); /* few ranks will do */
    check_shapes(&way, 2);
}

/* Heads cannot be fewer than the ranks that share them, and usp must fill its ranks. */
static void refused(void **state) {
    (void)state;
    char why[200] = "";
    struct op_params p = shape(8, 8, 1);
    p.shape.ulysses_size = 9;
    assert_false(op_supports(op_named("ulysses"), OP_BOTH, &p, 9, why, sizeof why));
    assert_non_null(strstr(why, "more ranks than heads"));
    p.shape.ulysses_size = 2;
    p.shape.ring_size = 2;
    assert_true(op_supports(op_named("usp"), OP_BOTH, &p, 4, why, sizeof why));
    assert_false(op_supports(op_named("usp"), OP_BOTH, &p, 5, why, sizeof why));
    assert_non_null(strstr(why, "does not divide"));
    p.both_ways = true;
    assert_true(op_supports(op_named("ring"), OP_BOTH, &p, 2, why, sizeof why));
    p.shape.seq = 3 * (size_t)p.shape.sp_size;
    assert_false(op_supports(op_named("ring"), OP_BOTH, &p, 2, why, sizeof why));
}

/* Operations of different shapes that live at once, run in turn, do not disturb each other, nor
 * does the end of one. */
static void together(void **state) {
    (void)state;
    const int ranks = test_world.size;
    const struct {
        const char *name;
        struct op_params params;
    } parts[] = {
        {"ulysses", shape(28, 7, ranks)},
        {"usp", shape(40, 8, usp_default_ulysses_size(ranks, 8))},
        {"ulysses", shape(32, 4, ranks)},
        {"ring", shape(12, 4, 1)},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    struct way way = {.transport = "shm", .algorithm = "auto"};
    struct op ops[PARTS];
    open_way(&way);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(op_create(op_named(parts[i].name), OP_BOTH, &parts[i].params, way.t,
                                   &test_world, &ops[i]),
                         ST_OK);
        op_fill(&ops[i]);
    }
    for (int first = 0; first < PARTS; first++) { /* fewer each time */
        for (int i = PARTS - 1; i >= first; i--)
            op_run(&ops[i]);
        uint64_t wrong = 0;
        for (int i = first; i < PARTS; i++) {
            wrong += op_verify(&ops[i]);
            for (int k = first; k < PARTS; k++)
                op_run(&ops[k]);
        }
        group_sum_u64(&test_world, &wrong, 1);
        assert_int_equal(wrong, 0);
        op_free(&ops[first]);
    }
    close_way(&way);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(refused),  cmocka_unit_test(over_shm),      cmocka_unit_test(over_hybrid),
        cmocka_unit_test(over_mpi), cmocka_unit_test(over_alltoall), cmocka_unit_test(together),
    };
    test_world.wait = WAIT_BLOCK; /* sanitized builds and busy machines: many ranks a core */
    return cmocka_run_group_tests(all, NULL, NULL);
}
