#include "tests/failing_alloc.h"

#include <stdlib.h>

static bool armed, failed;
static long left;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_memfd_create(const char *name, unsigned flags);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_memfd_create(const char *name, unsigned flags);

static bool fails(void) {
    const bool now = armed && left-- == 0;
    armed = armed && !now;
    failed = failed || now;
    return now;
}

void *__wrap_malloc(size_t bytes) {
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes) {
    return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes) {
    return fails() ? NULL : __real_realloc(old, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

int __wrap_memfd_create(const char *name, unsigned flags) {
    return fails() ? -1 : __real_memfd_create(name, flags);
}

void alloc_fail_after(long n) {
    armed = n >= 0;
    failed = false;
    left = n;
}

bool alloc_has_failed(void) {
    armed = false;
    return failed;
}
