#include "models/config/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

/* A hostile file has no more to say than a user would read. */
enum { LINES_MAX = 64 };

void note_add(struct model_notes *notes, const char *fmt, ...) {
    char line[512], clean[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    text_copy(clean, sizeof clean, line);
    for (int i = 0; i < notes->n; i++)
        if (strcmp(notes->lines[i], clean) == 0)
            return;
    if (notes->n == LINES_MAX)
        return;
    char **grown = realloc(notes->lines, ((size_t)notes->n + 1) * sizeof *grown);
    if (!grown)
        return;
    notes->lines = grown;
    notes->lines[notes->n] = strdup(clean);
    notes->n += notes->lines[notes->n] != NULL;
}

void notes_free(char **lines, int n) {
    for (int i = 0; i < n; i++)
        free(lines[i]);
    free(lines);
}
