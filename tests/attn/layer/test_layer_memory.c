/* Wherever one rank gets no memory, all ranks stop with an error, none waits for it, and all memory
 * is given back. Every third allocation is tried: runs on 2, 3 and 4 ranks share the work. */
#include <unistd.h>

#include "tests/attn/method/sp_case.h"
#include "tests/failing_alloc.h"

enum { STEP = 3 };

static struct problem problem_of(const struct sp_method *method, int ulysses_size) {
    struct problem p = {
        .batch = 2,
        .seq = 48,
        .heads = 8,
        .kv_heads = 4,
        .head_dim = 8,
        .hidden = 24,
        .rope_theta = 10000,
        .mask = {.causal = true},
        .dtype = DTYPE_BF16,
        .forward = true,
        .backward = true,
        .sp_size = test_world.size,
        .dp_shard_size = 1,
        .ulysses_size = ulysses_size,
        .kv_groups = 2,
        .overlap = true,
    };
    method->split(&p);
    return p;
}

/* On the last rank; what is then said is wanted. */
static void arm(long allocation) {
    alloc_fail_after(test_world.rank == test_world.size - 1 ? allocation : -1);
    log_set_rank(test_world.rank, LOG_QUIET | LOG_SILENT);
}

/* All ranks came to the same: to an error if an allocation failed, which is returned. */
static bool struck(enum status st) {
    double x[] = {st, -(double)st, alloc_has_failed()};
    log_set_rank(test_world.rank, test_world.rank > 0 ? LOG_QUIET : 0);
    group_max(&test_world, x, 3);
    assert_true(x[0] == -x[1]);
    assert_int_equal((int)x[0], x[2] > 0 ? ST_ENV : ST_OK);
    return x[2] > 0;
}

static void open_and_check(const struct sp_method *method, int ulysses_size, const char *exchange) {
    const struct problem p = problem_of(method, ulysses_size);
    struct check_report report;
    struct run r;
    const long first = test_world.size % STEP;
    bool again = true;
    long k;
    run_prepare(&r, &p, &test_world, exchange);
    for (k = first; again; k += STEP) {
        arm(k);
        again =
            struck(layer_open(&r.layer, &p, method, r.compute, r.transport, &r.grid, &r.ledger));
        if (again) {
            layer_close(&r.layer);
            assert_int_equal(r.ledger.total_now, 0);
        }
    }
    const long opened = k - STEP;
    run_pass(&r);
    for (k = first, again = true; again; k += STEP) {
        arm(k);
        again = struck(check_layer(&r.layer, &report));
    }
    assert_true(report.ok);
    print_message("%s, %s: about %ld allocations to open, %ld to check\n", method->name, exchange,
                  opened, k - STEP);
    run_close(&r);
}

static void methods_stop_together(void **state) {
    (void)state;
    alarm(300); /* who waits for a rank that has left does so for ever */
    open_and_check(&sp_ulysses, 0, "alltoall");
    open_and_check(&sp_ring, 0, "pull");
    open_and_check(&sp_allgather, 0, "pairwise");
    open_and_check(&sp_usp, test_world.size > 1 ? test_world.size / 2 : 1, "hybrid:2");
}

int tests(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(methods_stop_together)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
