#include "base/ledger.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* Stands in front of each block so that mem_free() knows what to subtract. One cache line, which
 * keeps the block itself 64-byte aligned. */
struct header {
    size_t bytes;
    enum mem_category category;
};

enum { ALIGNMENT = 64 };
_Static_assert(sizeof(struct header) <= ALIGNMENT, "the header must fit in front of the block");

const char *mem_category_name(enum mem_category category) {
    static const char *const names[MEM_CATEGORIES] = {
        [MEM_WEIGHTS] = "weights",         [MEM_GRADIENTS] = "gradients",
        [MEM_ACTIVATIONS] = "activations", [MEM_EXCHANGE] = "exchange",
        [MEM_WORKSPACE] = "workspace",
    };
    return names[category];
}

void mem_note(struct mem_ledger *ledger, enum mem_category category, enum mem_space space,
              ptrdiff_t bytes) {
    ledger->now[category][space] += (size_t)bytes;
    ledger->total_now += (size_t)bytes;
    size_t category_now = 0;
    for (int s = 0; s < MEM_SPACES; s++)
        category_now += ledger->now[category][s];
    if (category_now > ledger->peak[category])
        ledger->peak[category] = category_now;
    if (ledger->total_now > ledger->total_peak)
        ledger->total_peak = ledger->total_now;
}

void *mem_alloc(struct mem_ledger *ledger, enum mem_category category, size_t bytes) {
    if (bytes > PTRDIFF_MAX - 2 * ALIGNMENT) {
        fail(ST_ENV, "cannot allocate %zu bytes of %s", bytes, mem_category_name(category));
        return NULL;
    }
    const size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *base = aligned_alloc(ALIGNMENT, whole);
    if (!base) {
        fail(ST_ENV,
             "out of memory: cannot allocate %zu bytes of %s on top of %zu in use; use a shorter "
             "--seq or fewer ranks",
             bytes, mem_category_name(category), ledger->total_now);
        return NULL;
    }
    *(struct header *)base = (struct header){bytes, category};
    mem_note(ledger, category, MEM_HOST, (ptrdiff_t)bytes);
    return base + ALIGNMENT;
}

void mem_free(struct mem_ledger *ledger, void *ptr) {
    if (!ptr)
        return;
    char *base = (char *)ptr - ALIGNMENT;
    const struct header *h = (const struct header *)base;
    mem_note(ledger, h->category, MEM_HOST, -(ptrdiff_t)h->bytes);
    free(base);
}

/* The number after KEY in a "KEY:  123 kB" file of /proc, in bytes; 0 when absent. */
static size_t proc_kib(const char *path, const char *key) {
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    char line[256];
    const size_t key_len = strlen(key);
    size_t bytes = 0;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, key_len) != 0 || line[key_len] != ':')
            continue;
        bytes = (size_t)strtoull(line + key_len + 1, NULL, 10) * 1024;
        break;
    }
    fclose(f);
    return bytes;
}

size_t mem_rss_peak(void) {
    return proc_kib("/proc/self/status", "VmHWM");
}

void mem_rss_reset(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w"); /* "5" resets VmHWM, see proc(5) */
    if (!f)
        return;
    fputs("5", f);
    fclose(f);
}

/* A cgroup v2 file holding one number, SIZE_MAX when absent or "max". */
static size_t cgroup_number(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f)
        return SIZE_MAX;
    uint64_t value = 0;
    const int got = fscanf(f, "%" SCNu64, &value);
    fclose(f);
    return got == 1 ? (size_t)value : SIZE_MAX;
}

size_t mem_available(void) {
    size_t available = proc_kib("/proc/meminfo", "MemAvailable");
    const size_t limit = cgroup_number("/sys/fs/cgroup/memory.max");
    const size_t used = cgroup_number("/sys/fs/cgroup/memory.current");
    if (limit != SIZE_MAX && used != SIZE_MAX) {
        const size_t left = limit > used ? limit - used : 0;
        if (left < available)
            available = left;
    }
    return available;
}
