#include "attn/compute/cpu/openblas.h"

#include <cblas.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

static void it_starts_no_threads(void **state) {
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    (void)state;
    for (struct dirent *e = readdir(tasks); e; e = readdir(tasks))
        threads += e->d_name[0] != '.';
    closedir(tasks);
    assert_int_equal(threads, 1);
    assert_int_equal(openblas_get_num_threads(), 1);
}

/* This many bytes of address space more, from here on. */
static void allow(size_t more) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    const rlim_t most = pages * (size_t)sysconf(_SC_PAGESIZE) + more;
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){most, RLIM_INFINITY}), 0);
}

/* In another process, since what OpenBLAS has it keeps. */
static enum status reserve(int threads, size_t room, struct capture *said) {
    int status = -1;
    capture_begin(said);
    const pid_t child = fork();
    if (child == 0) {
        allow(room);
        alarm(30); /* it must not try for ever */
        _exit((int)openblas_reserve(threads));
    }
    waitpid(child, &status, 0);
    capture_end(said);
    assert_true(WIFEXITED(status));
    return (enum status)WEXITSTATUS(status);
}

static void what_does_not_fit_is_refused(void **state) {
    struct capture said;
    (void)state;
    assert_int_equal(reserve(2, 600 << 20, &said), ST_OK);
    assert_int_equal(reserve(2, 200 << 20, &said), ST_ENV);
    assert_non_null(strstr(said.text, "for each of 2 threads (OpenBLAS)"));
    assert_int_equal(reserve(2, 10 << 20, &said), ST_ENV);
    assert_non_null(strstr(said.text, "raise the limit (ulimit -v)"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_no_threads),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
