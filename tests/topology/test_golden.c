/* Every machine in data/ gives the JSON, or the refusal, that stands beside it. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/model/machine.h"
#include "topology/print/print.h"

#include "tests/cmocka_all.h"
#include "tests/topology/formats.h"

/* Loads a machine with stderr caught in log. */
static enum status load_quietly(struct machine *machine, const char *path, char *log, size_t n) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    const enum status status = machine_load(machine, "file", path);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    log[fread(log, 1, n - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void check_refused(const char *path, FILE *expected) {
    struct machine machine;
    char log[4096], line[256];
    assert_int_equal(load_quietly(&machine, path, log, sizeof log), ST_USAGE);
    machine_free(&machine);
    /* One line, and none of libxml or hwloc. */
    assert_memory_equal(log, "spbench: error: ", 16);
    assert_ptr_equal(strchr(log, '\n'), log + strlen(log) - 1);
    int lines = 0;
    while (fgets(line, sizeof line, expected)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strstr(log, line))
            fail_msg("%s: no \"%s\" in: %s", path, line, log);
        lines++;
    }
    assert_true(lines > 0);
}

static void check_accepted(const char *path, const char *expected_path) {
    json_error_t error;
    json_t *expected = json_load_file(expected_path, 0, &error);
    if (!expected)
        fail_msg("%s:%d: %s", expected_path, error.line, error.text);
    struct machine machine;
    char log[512];
    assert_int_equal(load_quietly(&machine, path, log, sizeof log), ST_OK);
    assert_string_equal(log, "");
    json_t *actual = topology_json(&machine, NULL, 0);
    assert_non_null(actual);
    if (!json_equal(actual, expected)) {
        json_dumpf(actual, stderr, JSON_INDENT(2));
        fail_msg("%s differs from the above", expected_path);
    }
    /* The table of any machine prints, and names every GPU. */
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    topology_table(out, &machine, NULL, 0);
    fclose(out);
    for (int i = 0; i < machine.n_gpus; i++)
        assert_non_null(strstr(text, machine.gpus[i].pci));
    free(text);
    json_decref(actual);
    json_decref(expected);
    machine_free(&machine);
}

static int is_xml(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".xml") == 0 && expected_of_this_hwloc(entry->d_name);
}

static void every_machine(void **state) {
    (void)state;
    struct dirent **entries = NULL;
    const int n = scandir(TEST_DATA_DIR, &entries, is_xml, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        char xml[512], expected[512], error[512];
        const int stem = (int)strlen(entries[i]->d_name) - 4;
        const char *name = entries[i]->d_name;
        snprintf(xml, sizeof xml, "%s/%s", TEST_DATA_DIR, name);
        snprintf(expected, sizeof expected, "%s/%.*s.expected.json", TEST_DATA_DIR, stem, name);
        snprintf(error, sizeof error, "%s/%.*s.error", TEST_DATA_DIR, stem, name);
        FILE *refusal = fopen(error, "r");
        if (refusal) {
            check_refused(xml, refusal);
            fclose(refusal);
        } else {
            check_accepted(xml, expected);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
