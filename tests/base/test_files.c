#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/files.h"

#include "tests/cmocka_all.h"

static void make_file(char *path, const char *content) {
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
}

static void reads_what_is_there(void **state) {
    (void)state;
    char path[] = "files-XXXXXX", *text;
    size_t n = 0;
    make_file(path, "12345");
    assert_int_equal(file_read(path, "number", 5, &text, &n), ST_OK);
    assert_int_equal(n, 5);
    assert_string_equal(text, "12345");
    free(text);
    assert_int_equal(file_read(path, "number", 4, &text, &n), ST_USAGE);
    assert_null(text);
    unlink(path);
    assert_int_equal(file_read(path, "number", 5, &text, &n), ST_USAGE);
}

/* A FIFO that nobody writes to would be waited for. */
static void refuses_what_is_no_file(void **state) {
    (void)state;
    char fifo[] = "fifo-XXXXXX";
    FILE *file;
    make_file(fifo, "");
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const char *const paths[] = {fifo, "/dev/zero", "/", "/does/not/exist", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(file_open_regular(paths[i], "file", &file), ST_USAGE);
    unlink(fifo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(refuses_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
