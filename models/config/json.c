#include "models/config/json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A config.json has some kilobytes; anything like a weights file is a mistake. */
enum { FILE_MAX = 1 << 20 };

/* Length of the string that begins at text[0] == '"', with its quotes, or size if it has no end. */
static size_t string_length(const char *text, size_t size) {
    for (size_t i = 1; i < size; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '"')
            return i + 1;
    }
    return size;
}

/* Length of the word or number at text; 0 if there is neither. */
static size_t token_length(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && (isalnum((unsigned char)text[n]) || strchr("+-.", text[n])) && text[n])
        n++;
    return n;
}

/* No number for jansson: it would refuse the whole file. */
static bool is_foreign(const char *token, size_t length) {
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (length == strlen(words[i]) && strncmp(token, words[i], length) == 0)
            return true;
    char number[512], *end;
    if (length >= sizeof number || !(isdigit((unsigned char)token[0]) || token[0] == '-'))
        return false;
    memcpy(number, token, length);
    number[length] = '\0';
    if (strspn(number, "-0123456789") < length)
        return isinf(strtod(number, &end)) && *end == '\0';
    errno = 0;
    strtoll(number, &end, 10);
    return errno == ERANGE && *end == '\0';
}

/* text with foreign tokens between quotes, allocated; *size becomes its length. NULL: no memory. */
static char *quote_foreign(const char *text, size_t *size) {
    char *out = malloc(3 * *size + 1); /* the shortest token has one character */
    size_t used = 0;
    for (size_t i = 0; out && i < *size;) {
        const bool string = text[i] == '"';
        const size_t token = string ? 0 : token_length(text + i, *size - i);
        const size_t n = string ? string_length(text + i, *size - i) : token ? token : 1;
        const bool foreign = token && is_foreign(text + i, token);
        if (foreign)
            out[used++] = '"';
        memcpy(out + used, text + i, n);
        used += n;
        if (foreign)
            out[used++] = '"';
        i += n;
    }
    *size = used;
    return out;
}

enum status json_parse(const char *path, const char *text, size_t size, json_t **out) {
    char *quoted = quote_foreign(text, &size);
    if (!quoted)
        return fail(ST_ENV, "out of memory to read %s", path);
    json_error_t error;
    *out = json_loadb(quoted, size, JSON_REJECT_DUPLICATES, &error);
    free(quoted);
    return *out ? ST_OK : fail(ST_USAGE, "%s: line %d: %s", path, error.line, error.text);
}

static enum status read_text(const char *path, char **text, size_t *size) {
    struct stat file;
    if (stat(path, &file))
        return fail(ST_USAGE, "cannot read model %s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode) || file.st_size > FILE_MAX)
        return fail(ST_USAGE, "model %s is not a config.json: a file of at most %d KiB is expected",
                    path, FILE_MAX / 1024);
    FILE *f = fopen(path, "r");
    if (!f)
        return fail(ST_USAGE, "cannot read model %s: %s", path, strerror(errno));
    *text = malloc((size_t)file.st_size + 1);
    *size = *text ? fread(*text, 1, (size_t)file.st_size, f) : 0;
    fclose(f);
    return *text ? ST_OK : fail(ST_ENV, "out of memory to read %s", path);
}

enum status json_read(const char *path, json_t **out) {
    char *text = NULL;
    size_t size = 0;
    enum status st = read_text(path, &text, &size);
    if (!st)
        st = json_parse(path, text, size, out);
    free(text);
    return st;
}
