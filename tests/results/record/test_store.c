#include "results/record/fingerprint.h"
#include "results/record/record.h"
#include "results/record/store.h"

#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder per test, removed with what is known to be in it. */
static int make_dir(void **state) {
    char *dir = strdup("/tmp/spb_store_XXXXXX");
    *state = dir;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    static const char *const names[] = {
        "run/a/records.jsonl",
        "run/a/run.json",
        "run/a/topology.xml",
        "run/a",
        "run",
        "records.jsonl",
        "run.json",
        "file",
        "",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", (char *)*state, names[i]);
        remove(path);
    }
    free(*state);
    return 0;
}

static json_t *record(int sp_size) {
    json_t *r = record_new("comm");
    record_param_int(r, "sp_size", sp_size);
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_OK);
    return r;
}

static void append(const char *dir, int first, int count) {
    struct store *store;
    assert_int_equal(store_open(dir, &store), ST_OK);
    for (int i = first; i < first + count; i++) {
        json_t *r = record(i);
        assert_int_equal(store_append(store, r), ST_OK);
        json_decref(r);
    }
    store_close(store);
}

static void expect(const char *dir, const int *sp, size_t n) {
    json_t *records;
    assert_int_equal(records_load(dir, &records), ST_OK);
    assert_int_equal(json_array_size(records), n);
    for (size_t i = 0; i < n; i++) {
        double value = 0.0;
        assert_true(record_num(json_array_get(records, i), "params", "sp_size", &value));
        assert_int_equal((int)value, sp[i]);
    }
    json_decref(records);
}

static void a_second_run_appends(void **state) {
    char dir[256];
    snprintf(dir, sizeof dir, "%s/run/a/", (char *)*state);
    append(dir, 1, 2);
    append(dir, 3, 1);
    expect(dir, (int[]){1, 2, 3}, 3);
}

static void cut_file(const char *dir, off_t bytes) {
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "%s/records.jsonl", dir);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - bytes), 0);
}

/* A run killed in the middle of a write must cost one record, not the next run's too. */
static void a_cut_line_does_not_corrupt_the_next(void **state) {
    const char *dir = *state;
    append(dir, 1, 2);
    cut_file(dir, 5);
    append(dir, 3, 1);
    expect(dir, (int[]){1, 3}, 2);
    cut_file(dir, 1); /* only the newline is missing: that record is whole */
    append(dir, 4, 1);
    expect(dir, (int[]){1, 3, 4}, 3);
}

static void refuses_what_is_no_folder(void **state) {
    char path[256];
    snprintf(path, sizeof path, "%s/file", (char *)*state);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    struct store *store;
    assert_int_equal(store_open(path, &store), ST_USAGE);
    assert_null(store);
    strcat(path, "/below");
    assert_int_equal(store_open(path, &store), ST_USAGE);
    assert_int_equal(store_open("", &store), ST_USAGE);
    assert_int_equal(store_open("/proc/nowhere", &store), ST_ENV);
    assert_null(store);
}

static void refuses_records_of_another_schema(void **state) {
    char path[256];
    snprintf(path, sizeof path, "%s/records.jsonl", (char *)*state);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"schema\": \"spbench.record/2\"}\n", file);
    fclose(file);
    struct store *store;
    assert_int_equal(store_open(*state, &store), ST_USAGE);
    assert_null(store);
}

/* /dev/full fails every write: the record is reported as lost, with the reason. */
static void a_full_disk_is_reported(void **state) {
    char path[256];
    snprintf(path, sizeof path, "%s/records.jsonl", (char *)*state);
    if (symlink("/dev/full", path) != 0)
        skip();
    struct store *store;
    assert_int_equal(store_open(*state, &store), ST_OK);
    json_t *r = record(1);
    assert_int_equal(store_append(store, r), ST_ENV);
    json_decref(r);
    store_close(store);
}

static void run_json_keeps_every_run(void **state) {
    char path[256];
    snprintf(path, sizeof path, "%s/run/a", (char *)*state);
    struct store *store;
    assert_int_equal(store_open(path, &store), ST_OK);
    char *argv[] = {"spbench", "comm", "--bytes", "a b\xff"};
    json_t *print = json_pack("{s:s}", "id", "x");
    assert_int_equal(store_add_run(store, 4, argv, 0, print), ST_OK);
    assert_int_equal(store_add_run(store, 2, argv, 86400, NULL), ST_OK);
    json_decref(print);
    strcat(path, "/run.json");
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *runs = json_object_get(file, "runs");
    assert_int_equal(json_array_size(runs), 2);
    const json_t *first = json_array_get(runs, 0), *second = json_array_get(runs, 1);
    assert_string_equal(record_str(first, NULL, "start"), "1970-01-01T00:00:00Z");
    assert_string_equal(record_str(second, NULL, "start"), "1970-01-02T00:00:00Z");
    assert_int_equal(json_array_size(json_object_get(first, "command")), 4);
    assert_string_equal(record_str(first, "fingerprint", "id"), "x");
    json_decref(file);

    FILE *spoilt = fopen(path, "w");
    assert_non_null(spoilt);
    fputs("notes of mine", spoilt);
    fclose(spoilt);
    assert_int_equal(store_add_run(store, 1, argv, 0, NULL), ST_USAGE);
    store_close(store);
}

static char *id_of(const struct fingerprint_parts *parts, char *const environment[]) {
    json_t *print = fingerprint_new(parts, environment);
    char *id = strdup(record_str(print, NULL, "id"));
    json_decref(print);
    return id;
}

static void only_allowed_environment(void **state) {
    (void)state;
    char *environment[] = {"NCCL_ALGO=Ring",
                           "UCX_TLS=self",
                           "MPIR_CVAR_X=1",
                           "MPICH_Y=",
                           "OMP_NUM_THREADS=2",
                           "CUDA_VISIBLE_DEVICES=0",
                           "HOME=/root",
                           "AWS_SECRET=s",
                           "MY_NCCL_ALGO=x",
                           "CUDA_VISIBLE_DEVICES_X=1",
                           "NCCL_=1",
                           "NCCLX=1",
                           "odd",
                           "=odd",
                           NULL};
    json_t *print = fingerprint_new(&(struct fingerprint_parts){.cpu = "c"}, environment);
    char *text = json_dumps(json_object_get(print, "env"), JSON_SORT_KEYS | JSON_COMPACT);
    assert_string_equal(text, "{\"CUDA_VISIBLE_DEVICES\":\"0\",\"MPICH_Y\":\"\","
                              "\"MPIR_CVAR_X\":\"1\",\"NCCL_ALGO\":\"Ring\","
                              "\"OMP_NUM_THREADS\":\"2\",\"UCX_TLS\":\"self\"}");
    free(text);
    assert_null(json_object_get(print, "mpi")); /* unknown is absent */
    assert_non_null(record_str(print, NULL, "host_class"));
    json_decref(print);
}

static void the_id_follows_every_part(void **state) {
    (void)state;
    char *none[] = {NULL}, *one[] = {"OMP_NUM_THREADS=2", NULL};
    const struct fingerprint_parts base = {.cpu = "c", .topology = "t", .mpi = "m", .git = "g"};
    struct fingerprint_parts changed[4] = {base, base, base, base};
    changed[0].cpu = changed[1].topology = changed[2].mpi = changed[3].git = "other";
    char *id = id_of(&base, none), *again = id_of(&base, none), *env = id_of(&base, one);
    assert_string_equal(id, again);
    assert_string_not_equal(id, env);
    for (size_t i = 0; i < 4; i++) {
        char *other = id_of(&changed[i], none);
        assert_string_not_equal(id, other);
        free(other);
    }
    free(id);
    free(again);
    free(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_run_appends, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_cut_line_does_not_corrupt_the_next, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_folder, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(refuses_records_of_another_schema, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_full_disk_is_reported, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(run_json_keeps_every_run, make_dir, remove_dir),
        cmocka_unit_test(only_allowed_environment),
        cmocka_unit_test(the_id_follows_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
