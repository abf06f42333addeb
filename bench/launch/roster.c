#include "bench/launch/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/launch/launch.h"

static size_t roster_bytes(int n) {
    return (size_t)n * sizeof(struct roster_entry);
}

static bool map(struct roster *roster, int fd, int n) {
    void *ranks = mmap(NULL, roster_bytes(n), PROT_READ | PROT_WRITE,
                       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (ranks == MAP_FAILED)
        return false;
    *roster = (struct roster){ranks, n};
    return true;
}

static int open_in(const char *dir, int flags) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/" LAUNCH_ROSTER, dir);
    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    return open(path, flags | O_RDWR | O_CLOEXEC, 0600);
}

enum status roster_create(struct roster *roster, const char *dir, int n) {
    const int fd = open_in(dir, O_CREAT | O_EXCL);
    const bool made =
        fd >= 0 && posix_fallocate(fd, 0, (off_t)roster_bytes(n)) == 0 && map(roster, fd, n);
    const int cause = errno;
    if (fd >= 0)
        close(fd);
    return made ? ST_OK : fail(ST_ENV, "cannot make a file in %s: %s", dir, strerror(cause));
}

bool roster_join(struct roster *roster, const char *dir, int n) {
    const int fd = dir ? open_in(dir, 0) : -1;
    const bool fits = fd >= 0 && lseek(fd, 0, SEEK_END) >= (off_t)roster_bytes(n);
    const bool joined = fits && map(roster, fd, n);
    if (fd >= 0)
        close(fd);
    if (!joined && !map(roster, -1, n))
        *roster = (struct roster){0};
    return joined;
}

void roster_note(struct roster_entry *entry, int status) {
    int before = atomic_load(&entry->status);
    while (before != ST_TIMEOUT && !atomic_compare_exchange_weak(&entry->status, &before, status))
        ;
}

void roster_close(struct roster *roster) {
    if (roster->ranks)
        munmap(roster->ranks, roster_bytes(roster->n));
    *roster = (struct roster){0};
}
