#include "base/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

static void self(void **state) {
    (void)state;
    char path[4096];
    assert_int_equal(path_self(path, sizeof path), ST_OK);
    assert_int_equal(path[0], '/');
    assert_string_equal(strrchr(path, '/'), "/test_paths");
    assert_int_equal(access(path, X_OK), 0);

    struct capture c;
    char small[8];
    capture_begin(&c);
    const enum status st = path_self(small, sizeof small);
    capture_end(&c);
    assert_int_equal(st, ST_ENV);
}

static void data_dir(void **state) {
    (void)state;
    char dir[4096];
    unsetenv("SPBENCH_DATA_DIR");
    assert_int_equal(path_data_dir(dir, sizeof dir), ST_OK);
    assert_string_equal(dir, SOURCE_DIR); /* a test is not installed */

    mkdir("data-dir", 0700);
    mkdir("data-dir/models", 0700);
    setenv("SPBENCH_DATA_DIR", "data-dir", 1);
    assert_int_equal(path_data_dir(dir, sizeof dir), ST_OK);
    assert_string_equal(dir, "data-dir");
    rmdir("data-dir/models");

    /* What was asked for and is wrong is said, not replaced by something else. */
    struct capture c;
    capture_begin(&c);
    const enum status st = path_data_dir(dir, sizeof dir);
    capture_end(&c);
    assert_int_equal(st, ST_ENV);
    assert_non_null(strstr(c.text, "data-dir"));
    rmdir("data-dir");
    unsetenv("SPBENCH_DATA_DIR");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self),
        cmocka_unit_test(data_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
