#include "base/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status path_self(char *buf, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", buf, size);
    if (n < 0)
        return fail(ST_ENV, "cannot read /proc/self/exe: is /proc mounted?");
    if ((size_t)n >= size)
        return fail(ST_ENV, "the path of the executable is longer than %zu bytes", size - 1);
    buf[n] = '\0';
    return ST_OK;
}

/* Is there a folder dir/models? */
static int holds_models(const char *dir) {
    char models[4096];
    struct stat st;
    const int n = snprintf(models, sizeof models, "%s/models", dir);
    return n > 0 && (size_t)n < sizeof models && stat(models, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Copies text into buf[size]; does it fit? */
static int put(char *buf, size_t size, const char *text) {
    return (size_t)snprintf(buf, size, "%s", text) < size;
}

/* The directory of the executable followed by SPBENCH_DATA_FROM_BIN, resolved. */
static int installed_dir(char *buf, size_t size) {
    char path[4096], resolved[4096];
    if (path_self(path, sizeof path))
        return 0;
    char *const slash = strrchr(path, '/');
    if (!slash || !put(slash + 1, sizeof path - (size_t)(slash + 1 - path), SPBENCH_DATA_FROM_BIN))
        return 0;
    return realpath(path, resolved) && put(buf, size, resolved) && holds_models(buf);
}

enum status path_data_dir(char *buf, size_t size) {
    const char *const asked = getenv("SPBENCH_DATA_DIR");
    if (asked && *asked) {
        if (put(buf, size, asked) && holds_models(buf))
            return ST_OK;
        return fail(ST_ENV, "SPBENCH_DATA_DIR is '%s', which has no models/ folder", asked);
    }
    if (installed_dir(buf, size))
        return ST_OK;
    if (put(buf, size, SPBENCH_SOURCE_DIR) && holds_models(buf))
        return ST_OK;
    return fail(ST_ENV,
                "cannot find the data directory (models/, plots/) beside the executable or at %s; "
                "set SPBENCH_DATA_DIR",
                SPBENCH_SOURCE_DIR);
}
