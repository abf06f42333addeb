#include "bench/launch/launch_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK "lock"

/* Before the random end of a folder's name. With the host: file systems that hosts share may keep
 * flock(2) to each of them. */
static void name_prefix(char *prefix, size_t size) {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(prefix, size, "spbench-%s.", host);
}

static void remove_folder(const char *path) {
    static const char *const files[] = {LAUNCH_BOARD, LAUNCH_WIRE, LOCK};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char file[300];
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        unlink(file);
    }
    rmdir(path);
}

/* Who makes a folder holds its lock before there is a wire: where there is a wire and nobody holds
 * the lock, nobody is left who would remove it. */
static void remove_if_stale(const char *path) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int lock = openat(folder, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (lock >= 0 && fstat(folder, &st) == 0 && st.st_uid == geteuid() &&
        flock(lock, LOCK_EX | LOCK_NB) == 0 && faccessat(folder, LAUNCH_WIRE, F_OK, 0) == 0)
        remove_folder(path);
    close(lock);
    close(folder);
}

static void remove_stale(const char *tmp, const char *prefix) {
    DIR *dir = opendir(tmp);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char path[256];
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
            (size_t)snprintf(path, sizeof path, "%s/%s", tmp, e->d_name) < sizeof path)
            remove_if_stale(path);
    }
    if (dir)
        closedir(dir);
}

static int take_lock(const char *path) {
    char file[300];
    snprintf(file, sizeof file, "%s/" LOCK, path);
    const int lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX) == 0)
        return lock;
    unlink(file); /* without it nobody takes the folder for stale */
    close(lock);
    return -1;
}

enum status launch_dir_open(struct launch_dir *dir, int index) {
    const char *const asked = getenv("TMPDIR"), *const tmp = asked && *asked ? asked : "/tmp";
    char number[16], wire[300], prefix[80];
    *dir = (struct launch_dir){.lock = -1, .wire = -1};
    name_prefix(prefix, sizeof prefix);
    remove_stale(tmp, prefix);
    const int n = snprintf(dir->path, sizeof dir->path, "%s/%sXXXXXX", tmp, prefix);
    if (n < 0 || (size_t)n >= sizeof dir->path || !mkdtemp(dir->path)) {
        const int cause = errno;
        dir->path[0] = '\0';
        return fail(ST_ENV, "cannot make a temporary folder in %s: %s; TMPDIR names another", tmp,
                    strerror(cause));
    }
    dir->lock = take_lock(dir->path);
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
    if (dir->path[0])
        remove_folder(dir->path);
    if (dir->lock >= 0)
        close(dir->lock);
}
