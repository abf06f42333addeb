/* Suites: which lines run, what their commands are given, and what they may not say. */
#include "bench/commands/suite_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/commands/command_line.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

static char path[] = "suite_XXXXXX";

/* Reads a suite of this text, run as "spbench suite x OPTION ...", on a machine with two cores. */
static enum status read_suite(const char *text, char *const *options, struct options *own,
                              struct suite *suite, struct capture *said) {
    char *argv[8] = {"spbench", "suite", "x"};
    int argc = 3;
    for (; options && *options; options++)
        argv[argc++] = *options;
    assert_int_equal(options_parse(&command_line, argc, argv, own), ST_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    capture_begin(said);
    const enum status st = suite_read(path, 2, own, suite);
    capture_end(said);
    return st;
}

/* What the suite is told holds for those of its commands that take it, and only for those. */
static void hands_on(void **state) {
    (void)state;
    struct options own;
    struct suite suite;
    struct capture said;
    char *given[] = {"--max-time", "500ms", "--force", "--save=x", NULL};
    assert_int_equal(read_suite("# nothing\ntopo -n 2\ncores>=3: comm --bytes 1k\n"
                                "cores<3: comm --bytes 2k --max-time 9s # or less\n",
                                given, &own, &suite, &said),
                     ST_OK);
    assert_int_equal(suite.n, 2);
    assert_int_equal(suite.steps[0].argc, 4); /* spbench topo -n 2 */
    assert_int_equal(suite.steps[1].argc, 8);
    assert_string_equal(suite.steps[1].argv[6], "--max-time=500ms");
    assert_string_equal(suite.steps[1].argv[7], "--force");
    assert_int_equal(suite.steps[1].options.bytes, 2048);
    assert_true(suite.steps[1].options.max_time == 0.5);
    assert_true(suite.steps[1].options.force);
    assert_null(suite.steps[1].options.save);
    suite_free(&suite);
    options_free(&own);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"comm --bytes 1k --save x", "--save belongs to the suite"},
        {"comm --bytes 1k -o json", "--output belongs to the suite"},
        {"topo -n 2 -o json", "--output belongs to the suite"},
        {"comm --bytes 1k --dry-run", "--dry-run belongs to the suite"},
        {"comm --bytes 1k --no-progress", "--progress belongs to the suite"},
        {"comm --list", "--list belongs to the suite"},
        {"attn --help", "--help belongs to the suite"},
        {"compare a b", "only commands that run on ranks"},
        {"topo --synthetic pu:2", "only commands that run on ranks"},
        {"comm --nonsense", "unknown option"},
        {"cores=2: topo", "a condition is"},
        {"cores>=3: topo", "no command for a machine with 2 cores"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options own;
        struct suite suite;
        struct capture said;
        if (read_suite(cases[i].line, NULL, &own, &suite, &said) != ST_USAGE)
            fail_msg("'%s' is not refused", cases[i].line);
        if (!strstr(said.text, cases[i].says))
            fail_msg("'%s': no '%s' in: %s", cases[i].line, cases[i].says, said.text);
        suite_free(&suite);
        options_free(&own);
    }
}

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_file(void **state) {
    (void)state;
    return remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_on),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
