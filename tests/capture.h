/* Catches what is logged to stderr, so that a test can look at the words. */
#ifndef SPB_TESTS_CAPTURE_H
#define SPB_TESTS_CAPTURE_H

#include <stdio.h>
#include <unistd.h>

struct capture {
    FILE *file;
    int stderr_copy;
    char text[8192];
};

static inline void capture_begin(struct capture *c) {
    c->file = tmpfile();
    c->stderr_copy = dup(STDERR_FILENO);
    dup2(fileno(c->file), STDERR_FILENO);
}

/* Restores stderr; the words are in c->text. */
static inline void capture_end(struct capture *c) {
    dup2(c->stderr_copy, STDERR_FILENO);
    close(c->stderr_copy);
    rewind(c->file);
    c->text[fread(c->text, 1, sizeof c->text - 1, c->file)] = '\0';
    fclose(c->file);
}

#endif
