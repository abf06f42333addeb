#include "comm/transport/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ledger.h"
#include "base/text/units.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14 */
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* Where huge pages of this size exist (x86, arm64 with 4 KiB pages) a mapping must start at a
 * multiple of it to use them; elsewhere the alignment costs address space only. */
static const size_t HUGE_BYTES = (size_t)2 << 20;

/* Smaller segments are not worth a look at the machine's free memory. */
static const size_t CHECKED_BYTES = (size_t)1 << 20;

static void *map_aligned(int fd, size_t bytes, int protection) {
    if (bytes < HUGE_BYTES)
        return mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);
    const size_t reserved = bytes + HUGE_BYTES;
    char *base =
        mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return MAP_FAILED;
    const size_t head = (size_t)(-(uintptr_t)base & (HUGE_BYTES - 1));
    void *data = mmap(base + head, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0);
    if (data == MAP_FAILED) {
        munmap(base, reserved);
        return MAP_FAILED;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t end = head + (bytes + page - 1) / page * page;
    if (head > 0)
        munmap(base, head);
    if (end < reserved)
        munmap(base + end, reserved - end);
    madvise(data, bytes, MADV_HUGEPAGE);
    return data;
}

/* Makes every page exist, in huge pages where the mapping asks for them (which fallocate would not
 * give). An older kernel allocates plain pages instead. */
static int populate(const struct shm_segment *s) {
    if (madvise(s->data, s->bytes, MADV_POPULATE_WRITE) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
    return posix_fallocate(s->fd, 0, (off_t)s->bytes);
}

static enum status no_space(size_t bytes, const char *why) {
    return fail(
        ST_ENV,
        "cannot share %s of memory: %s (%s available); use a shorter --seq, fewer ranks, or "
        "--transport mpi",
        format_bytes((double)bytes).s, why, format_bytes((double)mem_available()).s);
}

enum status shm_segment_create(size_t bytes, struct shm_segment *out) {
    *out = (struct shm_segment){.bytes = bytes ? bytes : 1, .fd = -1};
    const size_t available = bytes < CHECKED_BYTES ? 0 : mem_available();
    if (available > 0 && bytes > available)
        return no_space(bytes, "there is not that much");
    out->fd = memfd_create("spbench", MFD_CLOEXEC);
    if (out->fd < 0 || ftruncate(out->fd, (off_t)out->bytes) != 0) {
        const enum status st = no_space(bytes, strerror(errno));
        shm_segment_free(out);
        return st;
    }
    void *data = map_aligned(out->fd, out->bytes, PROT_READ | PROT_WRITE);
    out->data = data == MAP_FAILED ? NULL : data;
    const int error = out->data ? populate(out) : errno;
    if (error == 0)
        return ST_OK;
    shm_segment_free(out);
    return no_space(bytes, strerror(error));
}

enum status shm_segment_attach(int pid, int fd, size_t bytes, bool writable,
                               struct shm_segment *out) {
    *out = (struct shm_segment){.bytes = bytes ? bytes : 1, .fd = -1};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    const int opened = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (opened < 0)
        return fail(ST_ENV, "cannot open the memory of process %d (%s: %s); use --transport mpi",
                    pid, path, strerror(errno));
    struct stat info;
    enum status st = ST_OK;
    if (fstat(opened, &info) != 0 || (size_t)info.st_size < out->bytes)
        st =
            fail(ST_ENV, "%s is not the %zu bytes of shared memory it should be", path, out->bytes);
    if (st == ST_OK) {
        void *data = map_aligned(opened, out->bytes, PROT_READ | (writable ? PROT_WRITE : 0));
        if (data == MAP_FAILED)
            st = fail(ST_ENV, "cannot map %zu bytes of process %d: %s", out->bytes, pid,
                      strerror(errno));
        else
            out->data = data;
    }
    close(opened);
    if (st == ST_OK) /* page tables only, so that the first exchange is like the others */
        madvise(out->data, out->bytes, writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    return st;
}

void shm_segment_seal(struct shm_segment *s) {
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

void shm_segment_free(struct shm_segment *s) {
    if (s->data)
        munmap(s->data, s->bytes);
    shm_segment_seal(s);
    *s = (struct shm_segment){.fd = -1};
}
