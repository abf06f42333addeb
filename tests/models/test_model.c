#include "models/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void shipped_models(void **state) {
    (void)state;
    static const struct model_shape want[] = {
        {"qwen3-4b", 2560, 36, 32, 8, 128, 9728, 151936, true, 1e6},
        {"qwen3-32b", 5120, 64, 64, 8, 128, 25600, 151936, false, 1e6},
        {"llama-3.1-8b", 4096, 32, 32, 8, 128, 14336, 128256, false, 5e5},
        {"llama-3.1-70b", 8192, 80, 64, 8, 128, 28672, 128256, false, 5e5},
        {"llama-2-7b", 4096, 32, 32, 32, 128, 11008, 32000, false, 1e4},
        {"tiny", 64, 2, 8, 2, 16, 176, 256, true, 1e4},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        struct model_shape got;
        assert_int_equal(model_load(want[i].name, SOURCE_DIR, &got), ST_OK);
        assert_string_equal(got.name, want[i].name);
        assert_int_equal(got.hidden, want[i].hidden);
        assert_int_equal(got.layers, want[i].layers);
        assert_int_equal(got.heads, want[i].heads);
        assert_int_equal(got.kv_heads, want[i].kv_heads);
        assert_int_equal(got.head_dim, want[i].head_dim);
        assert_int_equal(got.intermediate, want[i].intermediate);
        assert_int_equal(got.vocab, want[i].vocab);
        assert_int_equal(got.tied, want[i].tied);
        assert_true(got.rope_theta == want[i].rope_theta);
    }
    char names[256];
    model_names(SOURCE_DIR, names, sizeof names);
    assert_string_equal(names,
                        "llama-2-7b, llama-3.1-70b, llama-3.1-8b, qwen3-32b, qwen3-4b, tiny");
}

/* Loads a file with this text. */
static enum status load_text(const char *text, size_t len, struct model_shape *out) {
    FILE *f = fopen("scratch-model.json", "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    fclose(f);
    const enum status st = model_load("scratch-model.json", "nowhere", out);
    remove("scratch-model.json");
    return st;
}

#define REST ", \"num_hidden_layers\": 2, \"intermediate_size\": 96, \"vocab_size\": 100"

static void absent_fields(void **state) {
    (void)state;
    struct model_shape m;
    static const char mha[] =
        "{\"hidden_size\": 96, \"num_attention_heads\": 6, \"x\": [{}]" REST "}";
    assert_int_equal(load_text(mha, strlen(mha), &m), ST_OK);
    assert_string_equal(m.name, "scratch-model");
    assert_int_equal(m.kv_heads, 6);
    assert_int_equal(m.head_dim, 16);
    assert_false(m.tied);
    assert_true(m.rope_theta == 1e4);

    static const char nulls[] =
        "{\"hidden_size\": 96, \"num_attention_heads\": 6, \"num_key_value_heads\": null, "
        "\"head_dim\": null, \"rope_parameters\": {\"rope_theta\": 5000}" REST "}";
    assert_int_equal(load_text(nulls, strlen(nulls), &m), ST_OK);
    assert_int_equal(m.kv_heads, 6);
    assert_int_equal(m.head_dim, 16);
    assert_true(m.rope_theta == 5000);
}

/* Published models are DIR/config.json: the directory is the name. */
static void directory_name(void **state) {
    (void)state;
    static const char text[] = "{\"hidden_size\": 8, \"num_attention_heads\": 2" REST "}";
    mkdir("My-Model", 0700);
    FILE *f = fopen("My-Model/config.json", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    struct model_shape m;
    assert_int_equal(model_load("./My-Model/config.json", "nowhere", &m), ST_OK);
    assert_string_equal(m.name, "My-Model");
    remove("My-Model/config.json");
    rmdir("My-Model");
}

/* Texts that are refused, and a word of the reason. */
static void refused_texts(void **state) {
    (void)state;
#define HEADS "\"hidden_size\": 96, \"num_attention_heads\": 6"
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"", "line"},
        {"{", "line 1"},
        {"[]", "object"},
        {"3", "line"},
        {"{\n\"a\": 1,\n\"a\": 2}", "duplicate"},
        {"{} trailing", "line 1"},
        {"{}", "'hidden_size' is missing"},
        {"{\"hidden_size\": 96" REST "}", "'num_attention_heads' is missing"},
        {"{" HEADS ", \"intermediate_size\": 9}", "'num_hidden_layers' is missing"},
        {"{\"hidden_size\": null, \"num_attention_heads\": 6" REST "}", "'hidden_size' is missing"},
        {"{\"hidden_size\": \"96\", \"num_attention_heads\": 6" REST "}", "'hidden_size'"},
        {"{\"hidden_size\": 96.0, \"num_attention_heads\": 6" REST "}", "'hidden_size'"},
        {"{\"hidden_size\": true, \"num_attention_heads\": 6" REST "}", "'hidden_size'"},
        {"{\"hidden_size\": 0, \"num_attention_heads\": 6" REST "}", "'hidden_size' is 0"},
        {"{\"hidden_size\": -96, \"num_attention_heads\": 6" REST "}", "'hidden_size' is -96"},
        {"{\"hidden_size\": 4294967392, \"num_attention_heads\": 6" REST "}", "is 4294967392"},
        {"{\"hidden_size\": 99999999999999999999, \"num_attention_heads\": 6" REST "}",
         "'hidden_size'"},
        {"{" HEADS ", \"num_key_value_heads\": 4" REST "}", "not a multiple"},
        {"{" HEADS ", \"num_key_value_heads\": 12" REST "}", "not a multiple"},
        {"{" HEADS ", \"num_key_value_heads\": 0" REST "}", "'num_key_value_heads' is 0"},
        {"{" HEADS ", \"head_dim\": []" REST "}", "'head_dim'"},
        {"{" HEADS ", \"head_dim\": 1000000" REST "}", "'head_dim' is 1000000"},
        {"{\"hidden_size\": 100, \"num_attention_heads\": 6" REST "}", "'head_dim' is missing"},
        {"{" HEADS ", \"tie_word_embeddings\": 1" REST "}", "'tie_word_embeddings'"},
        {"{" HEADS ", \"rope_theta\": \"x\"" REST "}", "'rope_theta'"},
        {"{" HEADS ", \"rope_theta\": -1" REST "}", "'rope_theta'"},
        {"{" HEADS ", \"rope_theta\": 1e300" REST "}", "'rope_theta'"},
        {"{" HEADS ", \"rope_parameters\": {\"rope_theta\": 0}" REST "}", "'rope_theta'"},
        {"{\"hidden_size\": \"\xff\xfe\"}", "line 1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct model_shape m = {.hidden = 77};
        struct capture c;
        capture_begin(&c);
        const enum status st = load_text(cases[i].text, strlen(cases[i].text), &m);
        capture_end(&c);
        if (st != ST_USAGE || !strstr(c.text, cases[i].word) ||
            !strstr(c.text, "scratch-model.json"))
            fail_msg("%s: status %d, '%s' not in: %s", cases[i].text, st, cases[i].word, c.text);
        assert_int_equal(m.hidden, 77); /* untouched */
    }
}

/* A shipped file cut at every length is refused or (behind the last brace) whole. */
static void truncated(void **state) {
    (void)state;
    char text[2048];
    FILE *f = fopen(SOURCE_DIR "/models/tiny.json", "r");
    assert_non_null(f);
    const size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    struct capture c;
    capture_begin(&c);
    size_t accepted = 0;
    for (size_t n = 0; n < len; n++) {
        struct model_shape m;
        accepted += load_text(text, n, &m) != ST_USAGE;
    }
    capture_end(&c);
    assert_int_equal(accepted, 1); /* only the last newline is missing */
}

/* Nested too deeply for any stack. */
static void deep(void **state) {
    (void)state;
    enum { DEPTH = 500000 };
    char *text = malloc(DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    struct model_shape m;
    struct capture c;
    capture_begin(&c);
    const enum status st = load_text(text, DEPTH, &m);
    capture_end(&c);
    free(text);
    assert_int_equal(st, ST_USAGE);
}

static void refused_names(void **state) {
    (void)state;
    static char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    static const struct {
        const char *name, *word;
    } cases[] = {
        {"llama-9", "llama-3.1-8b"}, /* the names there are */
        {"", "qwen3-4b"},
        {"./absent.json", "absent.json"},
        {"/", "not a config.json"},
        {"/dev/zero", "not a config.json"},
        {longest, "too long"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct model_shape m;
        struct capture c;
        capture_begin(&c);
        const enum status st = model_load(cases[i].name, SOURCE_DIR, &m);
        capture_end(&c);
        if (st != ST_USAGE || !strstr(c.text, cases[i].word))
            fail_msg("'%s': status %d, '%s' not in: %s", cases[i].name, st, cases[i].word, c.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models), cmocka_unit_test(absent_fields),
        cmocka_unit_test(directory_name), cmocka_unit_test(refused_texts),
        cmocka_unit_test(truncated),      cmocka_unit_test(deep),
        cmocka_unit_test(refused_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
