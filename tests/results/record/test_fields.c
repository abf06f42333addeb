#include "results/record/describe.h"
#include "results/record/fields.h"
#include "results/record/fingerprint.h"
#include "results/record/record.h"
#include "tests/results/every_field.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void rows_are_sound(void **state) {
    (void)state;
    bool seen[SECTIONS] = {false};
    for (const struct field *f = record_fields; f->key; f++) {
        assert_in_range(f->section, IN_RECORD, SECTIONS - 1);
        assert_ptr_equal(field_find(f->section, f->key), f); /* once */
        assert_true(*f->help && !strchr(f->help, '|'));
        assert_int_equal(f->opens != IN_RECORD, f->type == FIELD_OBJECT || f->type == FIELD_ARRAY);
        assert_true(f->section == IN_RECORD || field_opener(f->section, NULL));
        if (f == record_fields || f[-1].section != f->section)
            assert_false(seen[f->section]); /* together */
        seen[f->section] = true;
    }
    for (int section = 0; section < SECTIONS; section++)
        assert_true(seen[section]);
}

static void reads_back_one_of_each(void **state) {
    (void)state;
    char path[] = "/tmp/spb_fields_XXXXXX";
    json_t *record = every_field(), *records;
    assert_int_equal(record_validate_own(record, "test"), ST_OK);
    FILE *out = fdopen(mkstemp(path), "w");
    assert_int_equal(json_dumpf(record, out, JSON_COMPACT), 0);
    fputc('\n', out);
    fclose(out);
    assert_int_equal(records_load(path, &records), ST_OK);
    unlink(path);
    assert_true(json_equal(json_array_get(records, 0), record));
    json_decref(records);
    json_decref(record);
}

/* Whether both refuse the record, naming the field, or neither does. */
static void assert_refused(const json_t *record, const char *name, bool by_reader) {
    struct capture said;
    capture_begin(&said);
    const enum status reader = record_validate(record, "run:7");
    const enum status writer = record_validate_own(record, "run:7");
    capture_end(&said);
    char wanted[160];
    snprintf(wanted, sizeof wanted, "run:7: field %s ", name);
    if (writer != ST_USAGE || reader != (by_reader ? ST_USAGE : ST_OK) ||
        !strstr(said.text, wanted))
        fail_msg("%s: reader %d, writer %d: %s", name, (int)reader, (int)writer, said.text);
}

/* Whatever stands in place of a value that a field may have. */
static const char *const bad[][6] = {
    [FIELD_TEXT] = {"1", "null", "[]"},
    [FIELD_BOOL] = {"1", "\"true\""},
    [FIELD_COUNT] = {"-1", "2.0", "\"1\"", "true"},
    [FIELD_REAL] = {"-1e-9", "\"x\"", "null", "[1.0]"},
    [FIELD_UP_TO_1] = {"1.5", "\"x\"", "false"},
    [FIELD_REALS] = {"1.0", "{}"},
    [FIELD_INTERVAL] = {"[1.0]", "[1, 2, 3]", "{}"},
    [FIELD_TEXTS] = {"[]", "\"x\""},
    [FIELD_OBJECT] = {"[]", "1", "null"},
    [FIELD_ARRAY] = {"{}", "1"},
};

/* Spoils each field below object, which stands at `where` in record, in all ways, one by one. */
static void spoil_each(json_t *record, json_t *object, enum section section, const char *where) {
    for (const struct field *f = record_fields; f->key; f++) {
        if (f->section != section)
            continue;
        char name[160];
        json_t *good = json_incref(json_object_get(object, f->key));
        snprintf(name, sizeof name, "%s%s%s", where, *where ? "." : "", f->key);
        for (const char *const *text = bad[f->type]; *text; text++) {
            json_object_set_new(object, f->key, json_loads(*text, JSON_DECODE_ANY, NULL));
            assert_refused(record, name, true);
        }
        json_object_del(object, f->key);
        if (f->required)
            assert_refused(record, name, true);
        json_object_set(object, f->key, good);
        if (f->type == FIELD_ARRAY)
            strcat(name, "[1]");
        if (f->opens)
            spoil_each(record, f->type == FIELD_ARRAY ? json_array_get(good, 1) : good, f->opens,
                       name);
        json_decref(good);
    }
    json_object_set_new(object, "undeclared", json_integer(1));
    char name[160];
    snprintf(name, sizeof name, "%s%sundeclared", where, *where ? "." : "");
    assert_refused(record, name, false);
    json_object_del(object, "undeclared");
}

static void refuses_each_when_wrong(void **state) {
    (void)state;
    json_t *record = every_field();
    spoil_each(record, record, IN_RECORD, "");
    assert_int_equal(record_validate_own(record, "test"), ST_OK);

    json_object_set_new(record, "samples_s", json_pack("[f, n]", 1.0));
    assert_refused(record, "samples_s[1]", true);
    json_object_del(record, "samples_s");
    json_t *env = json_object_get(json_object_get(record, "fingerprint"), "env");
    json_object_set_new(env, "A\x1b[2J", json_integer(1));
    assert_refused(record, "fingerprint.env.A?[2J", true); /* a file's text, on a terminal */
    json_decref(record);
}

static void the_fingerprint_is_declared(void **state) {
    (void)state;
    char *const environment[] = {"OMP_NUM_THREADS=2", NULL};
    json_t *record = every_field();
    const struct fingerprint_parts parts = {"cpu", "topology", "mpi", "git"};
    json_object_set_new(record, "fingerprint", fingerprint_new(&parts, environment));
    assert_int_equal(record_validate_own(record, "test"), ST_OK);
    json_decref(record);
}

static void assert_written(enum status (*describe)(FILE *), const char *path) {
    char *want = NULL, *got = NULL;
    size_t size = 0, room = 0;
    FILE *out = open_memstream(&want, &size);
    assert_int_equal(describe(out), ST_OK);
    fclose(out);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&got, &room, '\0', file) > 0);
    fclose(file);
    if (strcmp(want, got) != 0)
        fail_msg("%s is not what `spbench info --generate` writes", path);
    free(want);
    free(got);
}

static void documents_are_of_this_table(void **state) {
    (void)state;
    assert_written(describe_markdown, DOCS_DIR "/record.md");
    assert_written(describe_schema, DOCS_DIR "/record.schema.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(reads_back_one_of_each),
        cmocka_unit_test(refuses_each_when_wrong),
        cmocka_unit_test(the_fingerprint_is_declared),
        cmocka_unit_test(documents_are_of_this_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
