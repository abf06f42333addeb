#include "attn/compute/cpu/openblas.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Of OpenBLAS, in no header: a free one of its buffers, or a new one. */
void *blas_memory_alloc(int unused) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

/* OpenBLAS's BUFFER_SIZE, which is nowhere larger than on x86-64. */
enum { BUFFER_BYTES = 128 << 20 };

int openblas_num_threads_env(void) {
    return 1;
}

static int has_room(void) {
    void *room =
        mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return 0;
    munmap(room, BUFFER_BYTES);
    return 1;
}

enum status openblas_reserve(int threads) {
    void **buffers = calloc((size_t)threads, sizeof *buffers);
    int n = 0;
    if (!buffers)
        return fail(ST_ENV, "out of memory for %d threads", threads);
    while (n < threads && blas_memory_alloc && has_room())
        buffers[n++] = blas_memory_alloc(0);
    const int missing = blas_memory_alloc ? threads - n : 0;
    while (n > 0)
        blas_memory_free(buffers[--n]);
    free(buffers);
    if (missing == 0)
        return ST_OK;
    return fail(
        ST_ENV,
        "products work in %d MiB of address space for each of %d threads (OpenBLAS), and there "
        "is no room; raise the limit (ulimit -v), or use fewer --threads",
        BUFFER_BYTES >> 20, threads);
}
