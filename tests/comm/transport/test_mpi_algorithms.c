/* What the algorithms of the mpi transport promise beside right data (test_ops has that): derived
 * datatypes of any part of a block, nothing staged by `datatype`, and trials that leave no trace.
 */
#include <stdlib.h>
#include <string.h>

#include "comm/copy/strided.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/mpi/block_type.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

enum { ROOM = 4096 };

static void fill(char *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = (char)(i * 7 + i / 251);
}

/* Any range of rows, whole or not, must be what block_pack() has there, both ways. */
static void block_types(void **state) {
    (void)state;
    static const size_t shapes[][3] = {/* rows, row bytes, stride */
                                       {1, 24, 24},
                                       {4, 8, 8},
                                       {4, 8, 20},
                                       {7, 3, 5},
                                       {2, 100, 130}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char data[ROOM], back[ROOM], packed[ROOM], got[ROOM];
        const struct buffer buffer = {.data = data, .bytes = ROOM}, other = {back, ROOM, NULL};
        const struct block b = {0, &buffer, 16, shapes[k][0], shapes[k][1], shapes[k][2]};
        struct block twin = b;
        twin.buffer = &other;
        const size_t n = block_bytes(&b);
        fill(data, ROOM);
        block_pack(&b, packed);
        const size_t bits = b.row_bytes | b.stride | 8;
        for (size_t unit = bits & -bits; unit > 0; unit /= 2)
            for (size_t from = 0; from < n; from += unit)
                for (size_t bytes = unit; from + bytes <= n; bytes += unit) {
                    const int count = (int)(bytes / unit);
                    MPI_Datatype type = block_type(&b, from, bytes, unit), flat = unit_type(unit);
                    memset(got, 0, sizeof got);
                    MPI_Sendrecv(block_data(&b), 1, type, 0, 0, got, count, flat, 0, 0,
                                 MPI_COMM_SELF, MPI_STATUS_IGNORE);
                    assert_memory_equal(got, packed + from, bytes);
                    memset(back, 0, sizeof back);
                    MPI_Sendrecv(got, count, flat, 0, 0, block_data(&twin), 1, type, 0, 0,
                                 MPI_COMM_SELF, MPI_STATUS_IGNORE);
                    MPI_Type_free(&type);
                    block_pack(&twin, got);
                    assert_memory_equal(got + from, packed + from, bytes);
                    size_t touched = 0;
                    for (size_t i = 0; i < ROOM; i++)
                        touched += back[i] != 0;
                    assert_true(touched <= bytes);
                }
    }
}

/* An all-to-all of strided blocks: on the send side columns of a matrix, on the receive side rows
 * of another width. */
enum { ROWS = 12, ROW = 96 };

struct exchange {
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *t;
    struct buffer send, recv;
    struct block sends[64], recvs[64];
    struct plan_spec spec;
};

static void open_exchange(struct exchange *x, const char *algorithm) {
    const struct transport_config config = {.algorithm = algorithm_named(algorithm),
                                            .ledger = &x->ledger,
                                            .trace = &x->trace,
                                            .world = &test_world,
                                            .host_key = 1};
    const size_t n = (size_t)test_world.size, width = n * ROW;
    assert_int_equal(transport_open(transport_named("mpi"), &config, &x->t), ST_OK);
    assert_int_equal(buffer_alloc(x->t, MEM_EXCHANGE, width * ROWS, &x->send), ST_OK);
    assert_int_equal(buffer_alloc(x->t, MEM_EXCHANGE, 2 * width * ROWS, &x->recv), ST_OK);
    for (size_t p = 0; p < n; p++) {
        x->sends[p] = (struct block){(int)p, &x->send, p * ROW, ROWS, ROW, width};
        x->recvs[p] = (struct block){(int)p,           &x->recv, 2 * p * ROW * ROWS,
                                     (size_t)3 * ROWS, ROW / 3,  (size_t)2 * ROW / 3};
    }
    x->spec = (struct plan_spec){&test_world, TRAFFIC_SP, x->sends, x->recvs, n, n};
    fill(x->send.data, x->send.bytes);
    fill(x->recv.data, x->recv.bytes);
}

static void close_exchange(struct exchange *x) {
    buffer_free(x->t, &x->recv);
    buffer_free(x->t, &x->send);
    transport_close(x->t);
    assert_int_equal(x->ledger.total_now, 0);
}

/* Every rank sent the same matrix: its columns for this rank must stand in all rows. */
static void assert_arrived(const struct exchange *x) {
    char want[ROWS * ROW], got[ROWS * ROW];
    block_pack(&x->sends[test_world.rank], want);
    for (int p = 0; p < test_world.size; p++) {
        block_pack(&x->recvs[p], got);
        assert_memory_equal(got, want, sizeof want);
    }
}

static void datatype_stages_nothing(void **state) {
    (void)state;
    struct exchange x = {0};
    struct plan *plan = NULL;
    open_exchange(&x, "datatype");
    const size_t buffers = x.ledger.total_now;
    assert_int_equal(plan_create(x.t, &x.spec, &plan), ST_OK);
    assert_string_equal(plan_algorithm(plan), "datatype");
    for (int i = 0; i < 3; i++) {
        memset(x.recv.data, 0, x.recv.bytes);
        plan_run(plan);
        assert_arrived(&x);
    }
    assert_int_equal(x.ledger.total_peak, buffers);
    plan_free(plan);
    close_exchange(&x);
}

static int row_of(const char *name) {
    for (int i = 0; mpi_algorithm_table[i]; i++)
        if (strcmp(mpi_algorithm_table[i]->name, name) == 0)
            return i;
    return -1;
}

/* auto takes a row of the table, the same on all ranks and for all plans of a shape. Its trial
 * writes into no buffer, and shows in no counter, phase or peak. */
static void trials_leave_no_trace(void **state) {
    (void)state;
    struct exchange x = {0};
    struct plan *plan = NULL, *again = NULL, *named = NULL;
    open_exchange(&x, "auto");
    char *before = malloc(x.recv.bytes);
    assert_non_null(before);
    memcpy(before, x.recv.data, x.recv.bytes);
    assert_int_equal(plan_create(x.t, &x.spec, &plan), ST_OK);
    assert_memory_equal(x.recv.data, before, x.recv.bytes);
    free(before);
    assert_int_equal(x.t->sent[TRAFFIC_SP], 0);
    for (int p = 0; p < PHASES; p++)
        assert_true(x.trace.self_s[p] == 0);

    const int row = row_of(plan_algorithm(plan));
    assert_true(row >= 0);
    double extremes[2] = {row, -row};
    group_max(&test_world, extremes, 2);
    assert_true(extremes[0] == -extremes[1]);
    assert_int_equal(plan_create(x.t, &x.spec, &again), ST_OK);
    assert_string_equal(plan_algorithm(again), plan_algorithm(plan));
    plan_free(again);

    /* The peak is what the same algorithm takes when it is asked for by name. */
    struct exchange y = {0};
    open_exchange(&y, plan_algorithm(plan));
    assert_int_equal(plan_create(y.t, &y.spec, &named), ST_OK);
    plan_free(named);
    close_exchange(&y);
    const size_t twice = 2 * (y.ledger.total_peak - x.send.bytes - x.recv.bytes);
    assert_int_equal(x.ledger.total_peak, x.send.bytes + x.recv.bytes + twice);

    plan_run(plan);
    assert_arrived(&x);
    assert_int_equal(x.t->sent[TRAFFIC_SP], ROWS * ROW * (test_world.size - 1));
    plan_free(plan);
    close_exchange(&x);
}

/* Where only one algorithm can carry a plan out or all would do the same, nothing is tried. */
static void one_hop_is_pairwise(void **state) {
    (void)state;
    struct exchange x = {0};
    struct plan *plan = NULL;
    open_exchange(&x, "auto");
    const int n = test_world.size, to = (test_world.rank + 1) % n;
    const int from = (test_world.rank + n - 1) % n;
    const struct block send = {to, &x.send, 0, 1, 512, 512}, recv = {from, &x.recv, 0, 1, 512, 512};
    const struct plan_spec hop = {&test_world, TRAFFIC_SP, &send, &recv, 1, 1};
    assert_int_equal(plan_create(x.t, &hop, &plan), ST_OK);
    assert_string_equal(plan_algorithm(plan), "pairwise");
    plan_free(plan);
    close_exchange(&x);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(block_types),
        cmocka_unit_test(datatype_stages_nothing),
        cmocka_unit_test(trials_leave_no_trace),
        cmocka_unit_test(one_hop_is_pairwise),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
