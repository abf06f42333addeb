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

/* Does DIR/models exist? DIR is in buf[size]. */
static int holds_models(const char *dir) {
    char models[4096];
    struct stat st;
    const int n = snprintf(models, sizeof models, "%s/models", dir);
    return n > 0 && (size_t)n < sizeof models && stat(models, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory of the executable followed by SPBENCH_DATA_FROM_BIN, resolved. */
static int installed_dir(char *buf, size_t size) {
    char path[4096], resolved[4096];
    if (path_self(path, sizeof path))
        return 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    const size_t room = sizeof path - (size_t)(slash + 1 - path);
    if (strlen(SPBENCH_DATA_FROM_BIN) >= room)
        return 0;
    strcpy(slash + 1, SPBENCH_DATA_FROM_BIN);
    if (!realpath(path, resolved) || strlen(resolved) >= size)
        return 0;
    strcpy(buf, resolved);
    return holds_models(buf);
}

enum status path_data_dir(char *buf, size_t size) {
    const char *const asked = getenv("SPBENCH_DATA_DIR");
    if (asked && *asked) {
        if (strlen(asked) >= size || !holds_models(asked))
            return fail(ST_ENV, "SPBENCH_DATA_DIR is '%s', which has no models/ folder", asked);
        strcpy(buf, asked);
        return ST_OK;
    }
    if (installed_dir(buf, size))
        return ST_OK;
    if (strlen(SPBENCH_SOURCE_DIR) < size && holds_models(SPBENCH_SOURCE_DIR)) {
        strcpy(buf, SPBENCH_SOURCE_DIR);
        return ST_OK;
    }
    return fail(ST_ENV,
                "cannot find the data directory (models/, plots/) beside the executable or at %s; "
                "set SPBENCH_DATA_DIR",
                SPBENCH_SOURCE_DIR);
}
