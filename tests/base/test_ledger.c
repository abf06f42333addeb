#include "base/ledger.h"

#include <string.h>

#include "tests/cmocka_all.h"

static void peaks_per_category(void **state) {
    (void)state;
    struct mem_ledger ledger = {0};
    void *a = mem_alloc(&ledger, MEM_WEIGHTS, 1000);
    void *b = mem_alloc(&ledger, MEM_EXCHANGE, 24);
    assert_int_equal((uintptr_t)a % 64, 0);
    memset(a, 1, 1000);
    mem_free(&ledger, a);
    void *c = mem_alloc(&ledger, MEM_WEIGHTS, 10);
    assert_int_equal(ledger.peak[MEM_WEIGHTS], 1000);
    assert_int_equal(ledger.now[MEM_WEIGHTS][MEM_HOST], 10);
    assert_int_equal(ledger.total_peak, 1024);
    mem_free(&ledger, b);
    mem_free(&ledger, c);
    assert_int_equal(ledger.total_now, 0);
}

static void noted_memory_counts(void **state) {
    (void)state;
    struct mem_ledger ledger = {0};
    mem_note(&ledger, MEM_EXCHANGE, MEM_SHARED, 4096);
    void *a = mem_alloc(&ledger, MEM_EXCHANGE, 4);
    mem_note(&ledger, MEM_EXCHANGE, MEM_SHARED, -4096);
    assert_int_equal(ledger.peak[MEM_EXCHANGE], 4100);
    assert_int_equal(ledger.now[MEM_EXCHANGE][MEM_SHARED], 0);
    mem_free(&ledger, a);
}

static void impossible_size_is_refused(void **state) {
    (void)state;
    struct mem_ledger ledger = {0};
    assert_null(mem_alloc(&ledger, MEM_WEIGHTS, SIZE_MAX - 8));
    assert_int_equal(ledger.total_now, 0);
    mem_free(&ledger, NULL);
}

static void the_system_answers(void **state) {
    (void)state;
    assert_true(mem_available() > 0);
    assert_true(mem_rss_peak() > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_per_category),
        cmocka_unit_test(noted_memory_counts),
        cmocka_unit_test(impossible_size_is_refused),
        cmocka_unit_test(the_system_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
