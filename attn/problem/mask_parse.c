/* Masks as they are written on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attn/problem/mask.h"
#include "base/text/units.h"

static const char ALLOWED[] =
    "full, causal, docs:N, docs:FILE, window:N, each at most once, joined by '+'";

/* What the text of a mask says. */
struct spec {
    char text[1024]; /* cut into terms */
    bool causal;
    int64_t window;
    int64_t n_docs;
    const char *docs_file; /* in text */
};

static bool read_causal(const char *value, struct spec *out) {
    out->causal = true;
    return value == NULL;
}

static bool read_full(const char *value, struct spec *out) {
    (void)out;
    return value == NULL;
}

static bool in_range(int64_t n) {
    return n >= 1 && n <= INT32_MAX;
}

static bool read_window(const char *value, struct spec *out) {
    return value && parse_count(value, &out->window) == NULL && in_range(out->window);
}

/* What is not a number is a file's name. */
static bool read_docs(const char *value, struct spec *out) {
    if (!value || !*value)
        return false;
    if (parse_count(value, &out->n_docs) == NULL)
        return in_range(out->n_docs);
    out->docs_file = value;
    return true;
}

/* read(): value is what follows "name:", NULL when nothing does; false when it makes no sense. */
static const struct term {
    const char *name;
    bool (*read)(const char *value, struct spec *out);
} terms[] = {
    {"full", read_full},
    {"causal", read_causal},
    {"docs", read_docs},
    {"window", read_window},
};

enum { TERMS = sizeof terms / sizeof terms[0] };

/* text: one term, which is cut at its ':'. */
static bool read_term(char *text, bool seen[TERMS], struct spec *out) {
    char *value = strchr(text, ':');
    if (value)
        *value++ = '\0';
    for (int i = 0; i < TERMS; i++) {
        if (strcmp(text, terms[i].name) != 0)
            continue;
        if (seen[i])
            return false;
        seen[i] = true;
        return terms[i].read(value, out);
    }
    return false;
}

static bool read_spec(const char *text, struct spec *out) {
    bool seen[TERMS] = {false};
    *out = (struct spec){.causal = false};
    if (strlen(text) >= sizeof out->text)
        return false;
    strcpy(out->text, text);
    for (char *next = out->text; next;) {
        char *term = next;
        next = strchr(term, '+');
        if (next)
            *next++ = '\0';
        if (!read_term(term, seen, out))
            return false;
    }
    return true;
}

const char *mask_check(const char *text) {
    struct spec spec;
    return read_spec(text, &spec) ? NULL : ALLOWED;
}

/* Room for the positions of n documents. */
static enum status alloc_docs(struct mask *mask, int n) {
    mask->docs = malloc(((size_t)n + 1) * sizeof *mask->docs);
    if (!mask->docs)
        return fail(ST_ENV, "out of memory for a mask of %d documents", n);
    mask->n_docs = n;
    return ST_OK;
}

static enum status equal_docs(struct mask *mask, int64_t n, int32_t seq, char *why,
                              size_t why_size) {
    if (n > seq) {
        snprintf(why, why_size, "%ld documents do not fit a sequence of %ld tokens; use --seq %ld",
                 (long)n, (long)seq, (long)n);
        return ST_OK;
    }
    const enum status st = alloc_docs(mask, (int)n);
    for (int i = 0; st == ST_OK && i <= n; i++)
        mask->docs[i] = (int32_t)(i * (int64_t)seq / n);
    return st;
}

static enum status docs_of_file(struct mask *mask, const char *path, int32_t seq, char *why,
                                size_t why_size) {
    int32_t *lengths = NULL;
    int n = 0;
    enum status st = mask_read_docs(path, &lengths, &n);
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += lengths[i];
    if (st == ST_OK && sum != seq)
        snprintf(why, why_size,
                 "the documents in %s have %ld tokens, the sequence %ld; use --seq %ld", path,
                 (long)sum, (long)seq, (long)sum);
    else if (st == ST_OK)
        st = alloc_docs(mask, n);
    if (mask->docs) {
        mask->docs[0] = 0;
        for (int i = 0; i < n; i++)
            mask->docs[i + 1] = mask->docs[i] + lengths[i];
    }
    free(lengths);
    return st;
}

enum status mask_open(const char *text, int32_t seq, struct mask *out, char *why, size_t why_size) {
    struct spec spec;
    if (!read_spec(text, &spec))
        return fail(ST_USAGE, "'%s' is not a mask: %s", text, ALLOWED);
    struct mask mask = {.window = (int32_t)spec.window};
    enum status st = ST_OK;
    if (spec.docs_file)
        st = docs_of_file(&mask, spec.docs_file, seq, why, why_size);
    else if (spec.n_docs > 0)
        st = equal_docs(&mask, spec.n_docs, seq, why, why_size);
    if (st != ST_OK)
        return st;
    mask.causal = spec.causal || mask.n_docs > 0 || mask.window > 0;
    *out = why[0] ? (struct mask){.causal = false} : mask;
    return ST_OK;
}

void mask_close(struct mask *mask) {
    free(mask->docs);
    *mask = (struct mask){.causal = false};
}
