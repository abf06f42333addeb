#include "bench/launch/launch_dir.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cmocka_all.h"

static char tmp[] = "/tmp/test_launch_dir.XXXXXX";

static bool exists(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Another process makes its folder, says where, and lives until it is killed. */
static pid_t make_in_child(char path[256]) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct launch_dir dir;
        if (launch_dir_open(&dir, 0) == ST_OK &&
            write(ends[1], dir.path, sizeof dir.path) == sizeof dir.path)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], path, 256), 256);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void killed(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void open_and_close(void) {
    struct launch_dir dir;
    assert_int_equal(launch_dir_open(&dir, 0), ST_OK);
    assert_true(exists(dir.path));
    launch_dir_close(&dir);
    assert_false(exists(dir.path));
}

static void the_next_launch_removes_what_a_killed_one_left(void **state) {
    char path[256], board[300];
    (void)state;
    const pid_t child = make_in_child(path);
    snprintf(board, sizeof board, "%s/board", path);
    fclose(fopen(board, "w"));
    open_and_close();
    assert_true(exists(board)); /* it lives */
    killed(child);
    assert_true(exists(board));
    open_and_close();
    assert_false(exists(path));
}

/* What looks alike stays: a link to such a folder, a folder that is being made, another program's.
 */
static void what_is_not_ours_stays(void **state) {
    char path[256], link[300], making[300], other[300];
    (void)state;
    const pid_t child = make_in_child(path);
    snprintf(link, sizeof link, "%.*sLINKED", (int)strlen(path) - 6, path);
    snprintf(making, sizeof making, "%.*sMAKING", (int)strlen(path) - 6, path);
    snprintf(other, sizeof other, "%s/spbench-other", tmp);
    assert_int_equal(symlink(other, link) | mkdir(making, 0700) | mkdir(other, 0700), 0);
    char wire[310];
    snprintf(wire, sizeof wire, "%s/wire", other);
    fclose(fopen(wire, "w"));
    killed(child);
    open_and_close();
    assert_false(exists(path));
    assert_true(exists(link) && exists(making) && exists(wire));
    unlink(wire);
    unlink(link);
    rmdir(making);
    rmdir(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_launch_removes_what_a_killed_one_left),
        cmocka_unit_test(what_is_not_ours_stays),
    };
    if (!mkdtemp(tmp) || setenv("TMPDIR", tmp, 1))
        return 1;
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    return failures + (rmdir(tmp) != 0);
}
