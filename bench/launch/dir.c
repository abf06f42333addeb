#include "bench/launch/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/launch/launch.h"

enum status launch_dir_open(struct launch_dir *dir, int index) {
    const char *tmp = getenv("TMPDIR");
    char number[16], wire[300];
    *dir = (struct launch_dir){.wire = -1};
    const int n =
        snprintf(dir->path, sizeof dir->path, "%s/spbench.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (n < 0 || (size_t)n >= sizeof dir->path || !mkdtemp(dir->path)) {
        const int cause = errno;
        dir->path[0] = '\0';
        return fail(ST_ENV, "cannot make a temporary folder in %s: %s; TMPDIR names another",
                    tmp && *tmp ? tmp : "/tmp", strerror(cause));
    }
    snprintf(wire, sizeof wire, "%s/" LAUNCH_WIRE, dir->path);
    snprintf(number, sizeof number, "%d", index);
    /* Open for writing, too: so it never reports the end of a writer, for which poll(2) would wake.
     */
    dir->wire = mkfifo(wire, 0600) == 0 ? open(wire, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
    if (dir->wire < 0 || setenv(LAUNCH_DIR_ENV, dir->path, 1) ||
        setenv(LAUNCH_INDEX_ENV, number, 1))
        return fail(ST_ENV, "cannot set up %s: %s", wire, strerror(errno));
    return ST_OK;
}

void launch_dir_close(struct launch_dir *dir) {
    if (dir->wire >= 0)
        close(dir->wire);
    unsetenv(LAUNCH_DIR_ENV);
    unsetenv(LAUNCH_INDEX_ENV);
    if (!dir->path[0])
        return;
    static const char *const files[] = {LAUNCH_WIRE, LAUNCH_ROSTER};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", dir->path, files[i]);
        unlink(path);
    }
    rmdir(dir->path);
}
