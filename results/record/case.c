/* The "case" text of a record: what two runs pair by. */
#include "results/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *value) {
    if (!*value)
        return false;
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c <= ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
            return false;
    return true;
}

static void write_value(FILE *out, const char *value) {
    if (is_plain(value)) {
        fputs(value, out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const struct case_var *)a)->key, ((const struct case_var *)b)->key);
}

char *record_case(const char *kind, const struct case_var *vars, size_t n) {
    struct case_var *sorted = calloc(n + 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    if (n > 0)
        memcpy(sorted, vars, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_key);

    char *result = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&result, &length);
    if (out) {
        fputs(kind, out);
        for (size_t i = 0; i < n; i++) {
            fprintf(out, " %s=", sorted[i].key);
            write_value(out, sorted[i].value);
        }
        if (ferror(out) | fclose(out)) {
            free(result);
            result = NULL;
        }
    }
    free(sorted);
    return result;
}
