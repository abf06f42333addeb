#include "models/model.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A config.json has some kilobytes; anything like a weights file is a mistake. */
enum { FILE_MAX = 1 << 20 };

/* Bounds of a field far beyond any model, so that products of a few of them fit in 64 bits. */
struct int_field {
    const char *key;
    size_t offset; /* in struct model_shape */
    int max;
    bool optional; /* absent or null leaves the 0 in place */
};

#define FIELD(key, member, max, optional)                                                          \
    { key, offsetof(struct model_shape, member), max, optional }

static const struct int_field int_fields[] = {
    FIELD("hidden_size", hidden, 1 << 20, false),
    FIELD("num_hidden_layers", layers, 1 << 16, false),
    FIELD("num_attention_heads", heads, 1 << 16, false),
    FIELD("num_key_value_heads", kv_heads, 1 << 16, true),
    FIELD("head_dim", head_dim, 1 << 12, true),
    FIELD("intermediate_size", intermediate, 1 << 24, false),
    FIELD("vocab_size", vocab, 1 << 28, false),
};

/* The value of key; JSON null counts as absent, as the models' own loader has it. */
static json_t *lookup(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static enum status read_int(const char *path, json_t *config, const struct int_field *field,
                            struct model_shape *out) {
    const json_t *value = lookup(config, field->key);
    if (!value && field->optional)
        return ST_OK;
    if (!value)
        return fail(ST_USAGE, "%s: field '%s' is missing; a whole number is expected", path,
                    field->key);
    if (!json_is_integer(value))
        return fail(ST_USAGE, "%s: field '%s' is not a whole number", path, field->key);
    const json_int_t number = json_integer_value(value);
    if (number < 1 || number > field->max)
        return fail(ST_USAGE, "%s: field '%s' is %lld; 1 to %d is expected", path, field->key,
                    (long long)number, field->max);
    *(int *)((char *)out + field->offset) = (int)number;
    return ST_OK;
}

static enum status read_tied(const char *path, json_t *config, bool *out) {
    const json_t *value = lookup(config, "tie_word_embeddings");
    if (value && !json_is_boolean(value))
        return fail(ST_USAGE, "%s: field 'tie_word_embeddings' is not true or false", path);
    *out = json_is_true(value); /* false for NULL */
    return ST_OK;
}

/* Newer files keep it in an object of its own. */
static enum status read_rope_theta(const char *path, json_t *config, double *out) {
    const json_t *value = lookup(config, "rope_theta");
    if (!value)
        value = lookup(lookup(config, "rope_parameters"), "rope_theta");
    *out = 10000;
    if (!value)
        return ST_OK;
    const double theta = json_is_number(value) ? json_number_value(value) : 0;
    if (!(theta > 1 && theta <= 1e15))
        return fail(ST_USAGE, "%s: field 'rope_theta' is not a number above 1 (10000 is usual)",
                    path);
    *out = theta;
    return ST_OK;
}

/* Fills in what may be absent and checks what must fit together. */
static enum status complete(const char *path, struct model_shape *m) {
    if (m->kv_heads == 0)
        m->kv_heads = m->heads;
    if (m->heads % m->kv_heads)
        return fail(ST_USAGE,
                    "%s: num_attention_heads %d is not a multiple of num_key_value_heads %d", path,
                    m->heads, m->kv_heads);
    if (m->head_dim)
        return ST_OK;
    if (m->hidden % m->heads)
        return fail(ST_USAGE,
                    "%s: field 'head_dim' is missing and hidden_size %d is not a multiple of "
                    "num_attention_heads %d",
                    path, m->hidden, m->heads);
    m->head_dim = m->hidden / m->heads;
    return ST_OK;
}

static enum status read_config(const char *path, json_t *config, struct model_shape *out) {
    if (!json_is_object(config))
        return fail(ST_USAGE, "%s: a JSON object (a Hugging Face config.json) is expected", path);
    enum status st = ST_OK;
    for (size_t i = 0; i < sizeof int_fields / sizeof int_fields[0] && !st; i++)
        st = read_int(path, config, &int_fields[i], out);
    if (!st)
        st = read_tied(path, config, &out->tied);
    if (!st)
        st = read_rope_theta(path, config, &out->rope_theta);
    return st ? st : complete(path, out);
}

static enum status load_file(const char *path, struct model_shape *out) {
    struct stat file;
    if (stat(path, &file))
        return fail(ST_USAGE, "cannot read model %s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode) || file.st_size > FILE_MAX)
        return fail(ST_USAGE, "model %s is not a config.json: a file of at most %d KiB is expected",
                    path, FILE_MAX / 1024);
    json_error_t error;
    json_t *config = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!config)
        return fail(ST_USAGE, "%s: line %d: %s", path, error.line, error.text);
    const enum status st = read_config(path, config, out);
    json_decref(config);
    return st;
}

static enum status unknown_model(const char *name, const char *data_dir) {
    char names[1024];
    model_names(data_dir, names, sizeof names);
    return fail(ST_USAGE, "unknown model '%s': say %s, or the path of a config.json", name,
                names[0] ? names : "(no models are installed)");
}

/* Length of name without ".json", 0 if it does not end so. */
static size_t stem_length(const char *name) {
    const size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".json") == 0 ? len - 5 : 0;
}

/* The stem of the file, or its directory's name for DIR/config.json, as models are published. */
static void name_of(const char *path, char *buf, size_t size) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t len = stem_length(base);
    if (strcmp(base, "config.json") == 0 && base - path > 1) {
        const char *const end = base - 1;
        for (base = end; base > path && base[-1] != '/';)
            base--;
        len = (size_t)(end - base);
    }
    if (len == 0)
        len = strlen(base);
    snprintf(buf, size, "%.*s", (int)len, base);
}

enum status model_load(const char *name_or_path, const char *data_dir, struct model_shape *out) {
    const bool is_path = strchr(name_or_path, '/') || stem_length(name_or_path);
    char path[4096];
    const int n = is_path
                      ? snprintf(path, sizeof path, "%s", name_or_path)
                      : snprintf(path, sizeof path, "%s/models/%s.json", data_dir, name_or_path);
    if (n < 0 || (size_t)n >= sizeof path)
        return fail(ST_USAGE, "the path of model '%.40s...' is too long", name_or_path);
    struct stat file;
    if (!is_path && stat(path, &file))
        return unknown_model(name_or_path, data_dir);
    struct model_shape m = {0};
    name_of(path, m.name, sizeof m.name);
    const enum status st = load_file(path, &m);
    if (!st)
        *out = m;
    return st;
}

static int is_model(const struct dirent *entry) {
    return entry->d_name[0] != '.' && stem_length(entry->d_name) > 0;
}

void model_names(const char *data_dir, char *buf, size_t size) {
    char dir[4096];
    struct dirent **entries = NULL;
    buf[0] = '\0';
    if ((size_t)snprintf(dir, sizeof dir, "%s/models", data_dir) >= sizeof dir)
        return;
    const int n = scandir(dir, &entries, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%.*s", used ? ", " : "",
                 (int)stem_length(entries[i]->d_name), entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}
