#include "results/text/case_label.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of a case: the kind, whose key is empty, or "key=value". */
struct word {
    const char *key, *value;
    size_t key_length, length; /* length: of the value */
};

/* Reads the word at *at and goes past it; false at the end. */
static bool next_word(const char **at, struct word *word) {
    const char *c = *at + strspn(*at, " ");
    if (!*c)
        return false;
    const size_t key_length = strcspn(c, "= ");
    const bool is_pair = c[key_length] == '=';
    *word = (struct word){.key = c, .key_length = is_pair ? key_length : 0, .value = c};
    if (is_pair)
        word->value = c += key_length + 1;
    for (bool quoted = false; *c && (quoted || *c != ' '); c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (*c == '\\' && c[1])
            c++;
    }
    word->length = (size_t)(c - word->value);
    *at = c;
    return true;
}

static const char *find(const char *name, const char *key, size_t key_length, size_t *length) {
    struct word word;
    while (next_word(&name, &word))
        if (word.key_length == key_length && strncmp(word.key, key, key_length) == 0) {
            *length = word.length;
            return word.value;
        }
    return NULL;
}

const char *case_value(const char *name, const char *key, size_t *length) {
    return find(name, key, strlen(key), length);
}

/* Marks the keys of a whose values b has not, or has otherwise. */
static bool mark(json_t *keys, const char *a, const char *b) {
    struct word word;
    while (next_word(&a, &word)) {
        size_t length;
        if (word.key_length == 0)
            continue;
        const char *value = find(b, word.key, word.key_length, &length);
        if (value && length == word.length && strncmp(value, word.value, length) == 0)
            continue;
        if (json_object_setn_new(keys, word.key, word.key_length, json_true()) != 0)
            return false;
    }
    return true;
}

/* What the kind's cases are compared with: {"first": index of one, "keys": those that differ}. */
static json_t *entry_of(json_t *kinds, const char *name, size_t i) {
    const size_t length = strcspn(name, " ");
    json_t *entry = json_object_getn(kinds, name, length);
    if (entry)
        return entry;
    entry = json_pack("{s:I, s:{}}", "first", (json_int_t)i, "keys");
    return json_object_setn_new(kinds, name, length, entry) == 0 ? entry : NULL;
}

static bool show_usual(json_t *keys) {
    static const char *const usual[] = {"op", "method", "seq", "bytes"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (json_object_set_new(keys, usual[i], json_true()) != 0)
            return false;
    return true;
}

json_t *case_differences(const char *const *names, size_t n) {
    json_t *kinds = json_object(), *entry;
    bool done = kinds;
    for (size_t i = 0; done && i < n; i++) {
        entry = entry_of(kinds, names[i], i);
        json_t *keys = json_object_get(entry, "keys");
        const char *first =
            entry ? names[json_integer_value(json_object_get(entry, "first"))] : names[i];
        done = entry && mark(keys, first, names[i]) && mark(keys, names[i], first);
    }
    const char *kind;
    json_object_foreach(kinds, kind, entry) {
        json_t *keys = json_object_get(entry, "keys");
        done = done && (json_object_size(keys) > 0 || show_usual(keys));
    }
    if (done)
        return kinds;
    json_decref(kinds);
    return NULL;
}

char *case_label(const json_t *differences, const char *name) {
    const json_t *keys =
        json_object_get(json_object_getn(differences, name, strcspn(name, " ")), "keys");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct word word;
    while (next_word(&name, &word)) {
        if (word.key_length == 0)
            fprintf(out, "%.*s", (int)word.length, word.value);
        else if (json_object_getn(keys, word.key, word.key_length))
            fprintf(out, " %.*s=%.*s", (int)word.key_length, word.key, (int)word.length,
                    word.value);
    }
    const int failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
