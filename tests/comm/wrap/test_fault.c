#include "comm/wrap/fault.h"

#include "tests/cmocka_all.h"

static void forms_that_are_read(void **state) {
    (void)state;
    struct fault f;
    assert_true(fault_read("corrupt", &f));
    assert_int_equal(f.kind, FAULT_CORRUPT);
    assert_int_equal(f.rank, 0);
    assert_int_equal(f.exchange, 1);
    assert_true(fault_read("die:3", &f));
    assert_int_equal(f.rank, 3);
    assert_true(fault_read("hang:1:200", &f));
    assert_int_equal(f.kind, FAULT_HANG);
    assert_int_equal(f.exchange, 200);
}

static void forms_that_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "explode", "die:",   "die:x",
                                      "die:1:", "die:1:0", "die:-1", "die:1:2:3"};
    struct fault f;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(fault_read(bad[i], &f));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_that_are_read),
        cmocka_unit_test(forms_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
