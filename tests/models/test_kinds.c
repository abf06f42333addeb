/* Every config.json in data/configs is read as data/expected says: NAME.json is what is printed of
 * it, NAME.error what is said when it is refused. Adding a model adds files. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/model.h"
#include "models/print.h"
#include "tests/capture.h"
#include "tests/cmocka_all.h"

static json_t *printed(const struct model *model) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    model_print_json(model, stream);
    fclose(stream);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    free(text);
    return object;
}

/* The first line of a file; false if there is none. */
static bool read_line(const char *path, char *line, int size) {
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    assert_non_null(fgets(line, size, f));
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static void check_layers(const struct model *model) {
    int layers = 0;
    for (int i = 0; i < model->n_kinds; i++)
        layers += model->kinds[i].count;
    assert_int_equal(layers, model->layers);
}

static void check_read(const char *name, const struct model *model) {
    char path[512];
    snprintf(path, sizeof path, TEST_DATA_DIR "/expected/%s.json", name);
    json_t *want = json_load_file(path, 0, NULL), *got = printed(model);
    if (!want)
        fail_msg("%s: read, and there is no %s", name, path);
    if (!json_equal(want, got)) {
        json_dumpf(got, stderr, JSON_INDENT(2));
        fail_msg("%s: not as in %s", name, path);
    }
    check_layers(model);
    json_decref(want);
    json_decref(got);
}

static void check_refused(const char *name, enum status st, const char *said) {
    char path[512], want[1024];
    snprintf(path, sizeof path, TEST_DATA_DIR "/expected/%s.error", name);
    if (!read_line(path, want, sizeof want))
        fail_msg("%s: refused, and there is no %s: %s", name, path, said);
    if (st != ST_USAGE || !strstr(said, want) || !strstr(said, name))
        fail_msg("%s: status %d, '%s' not in: %s", name, st, want, said);
}

static int is_config(const struct dirent *entry) {
    return strstr(entry->d_name, ".json") != NULL;
}

static void configs_are_read_as_expected(void **state) {
    (void)state;
    struct dirent **entries;
    const int n = scandir(TEST_DATA_DIR "/configs", &entries, is_config, alphasort);
    assert_true(n > 100);
    for (int i = 0; i < n; i++) {
        char path[512], name[256];
        struct model model;
        struct capture said;
        snprintf(path, sizeof path, TEST_DATA_DIR "/configs/%s", entries[i]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 5,
                 entries[i]->d_name);
        capture_begin(&said);
        const enum status st = model_open(path, "nowhere", &model);
        capture_end(&said);
        if (st == ST_OK)
            check_read(name, &model);
        else
            check_refused(name, st, said.text);
        if (st == ST_OK)
            model_close(&model);
        free(entries[i]);
    }
    free(entries);
}

/* What measures one kind of layer refuses models with several, and with V of another width. */
static void one_kind_is_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *name, *why;
    } cases[] = {
        {"window-every-2nd-layer", "several kinds"},
        {"hybrid-pattern-string", "several kinds"},
        {"mla", "V of another width"},
        {"falcon-mamba", "no softmax attention"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        struct model_shape shape;
        struct capture said;
        snprintf(path, sizeof path, TEST_DATA_DIR "/configs/%s.json", cases[i].name);
        capture_begin(&said);
        const enum status st = model_load(path, "nowhere", &shape);
        capture_end(&said);
        assert_int_equal(st, ST_USAGE);
        assert_non_null(strstr(said.text, cases[i].why));
        assert_non_null(strstr(said.text, cases[i].name));
    }
}

static void one_kind_has_its_mask(void **state) {
    (void)state;
    struct model_shape shape;
    assert_int_equal(model_load(TEST_DATA_DIR "/configs/head-dim-null.json", "nowhere", &shape),
                     ST_OK);
    assert_string_equal(shape.mask, "window:4096");
    assert_int_equal(shape.head_dim, 128);
    assert_int_equal(
        model_load(TEST_DATA_DIR "/configs/mla-misleading-head-dim.json", "nowhere", &shape),
        ST_OK);
    assert_string_equal(shape.mask, "causal");
    assert_int_equal(shape.head_dim, 256);
    assert_int_equal(shape.kv_heads, 64);
}

/* What comes from a file reaches no terminal unprintable. */
static void notes_are_printable(void **state) {
    (void)state;
    struct model model;
    FILE *f = fopen("scratch-notes.json", "w");
    assert_non_null(f);
    fputs("{\"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
          "\"attn_\\u001b[31m\": 1, \"model_type\": \"\\u001b]0;x\\u0007\","
          " \"layer_types\": [\"full\", \"\\u001b[2J\"]}",
          f);
    fclose(f);
    assert_int_equal(model_open("scratch-notes.json", "nowhere", &model), ST_OK);
    assert_int_equal(model.n_notes, 2);
    for (int i = 0; i < model.n_notes; i++)
        for (const char *c = model.notes[i]; *c; c++)
            assert_true(*c >= ' ' && *c <= '~');
    assert_null(strchr(model.type, '\x1b'));
    model_close(&model);
    remove("scratch-notes.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configs_are_read_as_expected),
        cmocka_unit_test(one_kind_is_asked_for),
        cmocka_unit_test(one_kind_has_its_mask),
        cmocka_unit_test(notes_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
