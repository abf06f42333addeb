/* One rank's allocations fail, one after the other: whichever it is, all ranks hear of it, none
 * waits for a rank that has left, and everything is given back. */
#include <string.h>
#include <unistd.h>

#include "comm/op/op.h"
#include "comm/op/pairs.h"
#include "comm/plan/kv_gather.h"
#include "comm/wrap/fault.h"
#include "comm/wrap/tap.h"

#include "tests/comm/rows.h"
#include "tests/failing_alloc.h"
#include "tests/mpi_test.h"

struct way {
    const char *transport, *algorithm;
};

/* What is tried, over a transport that is open; op: of an operation. */
struct attempt {
    const struct way *way;
    struct mem_ledger *ledger;
    struct transport *t;
    const struct op_row *op;
};

typedef enum status try_fn(const struct attempt *a);

/* A status that is not the same on all ranks is a fault: the next collective would hang. */
static enum status same(enum status st) {
    double x[2] = {(double)st, -(double)st};
    group_max(&test_world, x, 2);
    assert_true(x[0] == -x[1]);
    return st;
}

/* The transport, and both wrappers around it; whatever of it is open is left in *out. */
static enum status open_wrapped(const struct way *way, struct mem_ledger *ledger,
                                struct transport **out) {
    static const struct fault harmless = {FAULT_DIE, -1, 1};
    static struct trace trace;
    static long counter;
    const struct transport_config config = {.algorithm = algorithm_named(way->algorithm),
                                            .ledger = ledger,
                                            .trace = &trace,
                                            .world = &test_world,
                                            .host_key = 1 + (uint64_t)test_world.rank / 2,
                                            .cache_bytes = 1 << 20};
    struct transport *outer = NULL;
    enum status st = same(transport_open(transport_named(way->transport), &config, out));
    if (st != ST_OK)
        return st;
    st = fault_open(*out, &harmless, test_world.rank, &counter, &outer);
    if (st == ST_OK)
        *out = outer;
    st = group_agree(&test_world, st);
    if (st != ST_OK)
        return st;
    st = tap_open(*out, &outer);
    if (st == ST_OK)
        *out = outer;
    return group_agree(&test_world, st);
}

static enum status try_open(const struct attempt *a) {
    struct transport *t = NULL;
    const enum status st = open_wrapped(a->way, a->ledger, &t);
    transport_close(t);
    return st;
}

/* In another order of ranks each time: parts that were split off serve again. */
static enum status try_split(const struct attempt *a) {
    static int times;
    struct group part = {0};
    const int color = test_world.rank % 2 ? times + 1 : 0;
    const enum status st = same(group_split(&test_world, color, test_world.rank, &part));
    (void)a;
    times++;
    group_free(&part);
    return st;
}

static enum status try_op(const struct attempt *a) {
    const int ranks = test_world.size;
    const bool split = a->op->two_groups;
    const struct op_params p = {.by_shape = true,
                                .separate_qkv = true, /* more plans */
                                .shape = {.batch = 2,
                                          .seq = (size_t)ranks * 4,
                                          .heads = 6,
                                          .kv_heads = split ? 6 : 1,
                                          .head_dim = 8,
                                          .sp_size = ranks,
                                          .ulysses_size = split ? 1 : ranks,
                                          .ring_size = split ? ranks : 1,
                                          .elem_bytes = 4,
                                          .grad_bytes = 4}};
    char why[200];
    struct op op;
    if (!op_supports(a->op, OP_BOTH, &p, ranks, why, sizeof why))
        return ST_OK;
    const enum status st = same(op_create(a->op, OP_BOTH, &p, a->t, &test_world, &op));
    if (st != ST_OK)
        return st;
    op_fill(&op);
    op_run(&op);
    op_free(&op);
    return ST_OK;
}

static enum status try_pairs(const struct attempt *a) {
    static const size_t sizes[] = {8, 64};
    struct pairs pairs = {0};
    const struct pattern pattern = {1, TENSOR_RAW, 4};
    enum status st = same(pairs_open(&pairs, a->t, &test_world, pattern, sizes, 2));
    if (st == ST_OK)
        st = same(pairs_enter(&pairs, 0));
    pairs_close(&pairs);
    return st;
}

static enum status try_gathers(const struct attempt *a) {
    const size_t ranks = (size_t)test_world.size;
    const struct kv_heads heads = {1, 2, 8, 4, 1, 2};
    const size_t bytes = 4 * kv_heads_elements(&heads);
    struct buffer kv = {0}, whole = {0}, slots = {0};
    struct plan *gather = NULL, *scatter = NULL;
    enum status st = buffer_alloc(a->t, MEM_EXCHANGE, 2 * bytes, &kv);
    if (st == ST_OK)
        st = buffer_alloc(a->t, MEM_EXCHANGE, ranks * bytes, &whole);
    if (st == ST_OK)
        st = buffer_alloc(a->t, MEM_EXCHANGE, ranks * bytes, &slots);
    st = group_agree(&test_world, st);
    if (st == ST_OK)
        st = same(kv_gather_plan(a->t, &test_world, &heads, 4, &kv, &whole, &gather));
    if (st == ST_OK)
        st = same(kv_scatter_plan(a->t, &test_world, &heads, 4, &whole, &slots, &scatter));
    plan_free(scatter);
    plan_free(gather);
    buffer_free(a->t, &slots);
    buffer_free(a->t, &whole);
    buffer_free(a->t, &kv);
    return st;
}

static void fail_each(try_fn *try, const struct attempt *a) {
    const bool victim = test_world.rank == test_world.size - 1;
    const size_t before = a->ledger->total_now;
    char failed = true;
    for (long n = 0; failed; n++) {
        alloc_fail_after(victim ? n : -1);
        const enum status st = try(a);
        failed = alloc_has_failed();
        group_bcast(&test_world, &failed, sizeof failed, test_world.size - 1);
        /* Some of what is allocated can be done without. */
        assert_true(st == ST_OK || (failed && st == ST_ENV));
        assert_int_equal(a->ledger->total_now, before);
    }
}

static void fail_everything(const char *transport, const char *algorithm) {
    /* The others make their plans as these do. */
    static const char *const ops[] = {"alltoall", "ulysses", "usp", "allreduce"};
    const struct way way = {transport, algorithm};
    struct mem_ledger ledger = {0};
    struct attempt a = {.way = &way, .ledger = &ledger};
    alarm(300); /* who waits for a rank that has left does so for ever */
    fail_each(try_split, &a);
    fail_each(try_open, &a);
    assert_int_equal(open_wrapped(&way, &ledger, &a.t), ST_OK);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        a.op = op_named(ops[i]);
        fail_each(try_op, &a);
    }
    fail_each(try_pairs, &a);
    fail_each(try_gathers, &a);
    transport_close(a.t);
    alarm(0);
}

static void over_shm(void **state) {
    (void)state;
    if (test_world.size > 2)
        skip();
    fail_everything("shm", "auto");
}

/* Two on one host, one on another. */
static void over_hybrid(void **state) {
    (void)state;
    if (test_world.size < 3)
        skip();
    fail_everything("hybrid", "auto");
}

static void over_mpi(void **state) {
    (void)state;
    static const char *const algorithms[] = {"pairwise", "alltoall", "datatype", "auto"};
    if (test_world.size > 2)
        skip();
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        fail_everything("mpi", algorithms[i]);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(over_shm),
        cmocka_unit_test(over_hybrid),
        cmocka_unit_test(over_mpi),
    };
    log_set_rank(test_world.rank, LOG_SILENT);
    return cmocka_run_group_tests(all, NULL, NULL);
}
