#include "bench/launch/supervisor/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status take_lines(struct lines *l, line_taker *take, void *context) {
    enum status st = ST_OK;
    size_t start = 0;
    for (char *end; st == ST_OK && (end = memchr(l->text + start, '\n', l->n - start));) {
        *end = '\0';
        const size_t length = (size_t)(end - (l->text + start));
        st = take(context, l->text + start, length);
        start += length + 1;
    }
    l->n -= start;
    memmove(l->text, l->text + start, l->n);
    return st;
}

enum status lines_read(struct lines *l, int fd, line_taker *take, void *context, bool *end) {
    enum { CHUNK = 1 << 16 };
    *end = false;
    for (;;) {
        if (l->room - l->n < CHUNK) {
            char *more = realloc(l->text, l->n + 2 * CHUNK);
            if (!more)
                return fail(ST_ENV, "out of memory for a result");
            l->text = more;
            l->room = l->n + 2 * CHUNK;
        }
        const ssize_t got = read(fd, l->text + l->n, CHUNK - 1);
        if (got < 0 && errno == EINTR)
            continue;
        *end = got == 0 || (got < 0 && errno != EAGAIN);
        if (got <= 0)
            return ST_OK;
        l->n += (size_t)got;
        const enum status st = take_lines(l, take, context);
        if (st != ST_OK)
            return st;
    }
}

enum status lines_finish(struct lines *l, line_taker *take, void *context) {
    if (l->n == 0)
        return ST_OK;
    l->text[l->n] = '\0';
    const size_t length = l->n;
    l->n = 0;
    return take(context, l->text, length);
}

void lines_free(struct lines *l) {
    free(l->text);
    *l = (struct lines){0};
}
