/* The file of --mask docs:FILE. It is untrusted. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attn/problem/mask.h"

struct reader {
    const char *path;
    FILE *in;
    int line;
    int32_t *lengths;
    int n, room;
    int64_t sum;
};

static enum status append(struct reader *r, int32_t length) {
    if (r->n == r->room) {
        const int room = r->room ? 2 * r->room : 64;
        int32_t *more = realloc(r->lengths, (size_t)room * sizeof *more);
        if (!more)
            return fail(ST_ENV, "%s: out of memory for %d documents", r->path, room);
        r->lengths = more;
        r->room = room;
    }
    r->lengths[r->n++] = length;
    r->sum += length;
    if (r->sum > INT32_MAX)
        return fail(ST_USAGE, "%s:%d: the documents so far have more than %ld tokens", r->path,
                    r->line, (long)INT32_MAX);
    return ST_OK;
}

/* The next word, cut to the size of `word`; false at the end. Counts lines up to where the word
 * stands. */
static bool next_word(struct reader *r, char *word, size_t size) {
    size_t n = 0;
    int c = getc(r->in);
    for (; isspace(c); c = getc(r->in))
        r->line += c == '\n';
    for (; c != EOF && !isspace(c); c = getc(r->in))
        if (n + 1 < size)
            word[n++] = c ? (char)c : '?';
    if (c != EOF)
        ungetc(c, r->in);
    word[n] = '\0';
    return n > 0;
}

/* Digits only: a sign, a suffix or a comma is a mistake. 0 for anything else. */
static int32_t length_of(const char *word) {
    int64_t length = 0;
    for (const char *c = word; *c; c++) {
        if (*c < '0' || *c > '9')
            return 0;
        length = length * 10 + (*c - '0');
        if (length > INT32_MAX)
            return 0;
    }
    return (int32_t)length;
}

/* A word of a file of any content, fit to be shown. */
static void make_printable(char *word) {
    for (; *word; word++)
        if (!isprint((unsigned char)*word))
            *word = '?';
}

static enum status read_all(struct reader *r) {
    char word[24];
    while (next_word(r, word, sizeof word)) {
        const int32_t length = length_of(word);
        if (length == 0) {
            make_printable(word);
            return fail(ST_USAGE,
                        "%s:%d: '%s' is not the length of a document: whole numbers from 1 to %ld "
                        "are, with white space between them",
                        r->path, r->line, word, (long)INT32_MAX);
        }
        const enum status st = append(r, length);
        if (st != ST_OK)
            return st;
    }
    if (ferror(r->in))
        return fail(ST_USAGE, "cannot read %s: %s", r->path, strerror(errno));
    if (r->n == 0)
        return fail(ST_USAGE, "%s: no document lengths; one number per document is expected",
                    r->path);
    return ST_OK;
}

enum status mask_read_docs(const char *path, int32_t **lengths, int *n) {
    struct stat info;
    if (stat(path, &info) != 0)
        return fail(ST_USAGE, "cannot read document lengths from %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return fail(ST_USAGE, "cannot read document lengths from %s: not a file", path);
    struct reader r = {.path = path, .in = fopen(path, "re"), .line = 1};
    if (!r.in)
        return fail(ST_USAGE, "cannot read document lengths from %s: %s", path, strerror(errno));
    const enum status st = read_all(&r);
    fclose(r.in);
    if (st != ST_OK) {
        free(r.lengths);
        return st;
    }
    *lengths = r.lengths;
    *n = r.n;
    return ST_OK;
}
