#include "bench/launch/rank_board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/launch/launch_dir.h"

static size_t rank_board_bytes(int n) {
    return (size_t)n * sizeof(struct rank_state);
}

static bool map(struct rank_board *board, int fd, int n) {
    void *ranks = mmap(NULL, rank_board_bytes(n), PROT_READ | PROT_WRITE,
                       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (ranks == MAP_FAILED)
        return false;
    *board = (struct rank_board){ranks, n};
    return true;
}

static int open_in(const char *dir, int flags) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/" LAUNCH_BOARD, dir);
    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    return open(path, flags | O_RDWR | O_CLOEXEC, 0600);
}

enum status rank_board_create(struct rank_board *board, const char *dir, int n) {
    const int fd = open_in(dir, O_CREAT | O_EXCL);
    const bool made =
        fd >= 0 && posix_fallocate(fd, 0, (off_t)rank_board_bytes(n)) == 0 && map(board, fd, n);
    const int cause = errno;
    if (fd >= 0)
        close(fd);
    return made ? ST_OK : fail(ST_ENV, "cannot make a file in %s: %s", dir, strerror(cause));
}

bool rank_board_join(struct rank_board *board, const char *dir, int n) {
    const int fd = dir ? open_in(dir, 0) : -1;
    const bool fits = fd >= 0 && lseek(fd, 0, SEEK_END) >= (off_t)rank_board_bytes(n);
    const bool joined = fits && map(board, fd, n);
    if (fd >= 0)
        close(fd);
    if (!joined && !map(board, -1, n))
        *board = (struct rank_board){0};
    return joined;
}

void rank_state_note(struct rank_state *entry, int status) {
    int before = atomic_load(&entry->status);
    while (before != ST_TIMEOUT && !atomic_compare_exchange_weak(&entry->status, &before, status))
        ;
}

void rank_board_close(struct rank_board *board) {
    if (board->ranks)
        munmap(board->ranks, rank_board_bytes(board->n));
    *board = (struct rank_board){0};
}
