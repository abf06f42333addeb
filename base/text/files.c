#include "base/text/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status file_open_regular(const char *path, const char *what, FILE **file) {
    struct stat info;
    /* Without O_NONBLOCK the open of a FIFO waits for who writes. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
        close(fd);
        return fail(ST_USAGE, "cannot read %s %s: it is no regular file", what, path);
    }
    *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (*file)
        return ST_OK;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    return fail(ST_USAGE, "cannot read %s %s: %s", what, path, strerror(error));
}

enum status file_read(const char *path, const char *what, size_t most, char **text, size_t *n) {
    FILE *file;
    struct stat info;
    *text = NULL;
    enum status st = file_open_regular(path, what, &file);
    if (st)
        return st;
    const size_t size = fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0;
    if (size > most)
        st = fail(ST_USAGE, "%s %s has more than %zu KiB, which none has", what, path, most >> 10);
    else if (!(*text = malloc(size + 1)))
        st = fail(ST_ENV, "out of memory for %s %s", what, path);
    else
        *n = fread(*text, 1, size, file);
    if (!st && ferror(file))
        st = fail(ST_USAGE, "cannot read %s %s: %s", what, path, strerror(errno));
    fclose(file);
    if (!st) {
        (*text)[*n] = '\0';
        return ST_OK;
    }
    free(*text);
    *text = NULL;
    return st;
}
