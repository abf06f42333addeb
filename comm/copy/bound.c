#include "comm/copy/bound.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of whole pages; large ones of huge pages where they have this size (x86, arm64 with 4 KiB pages).
 */
static const size_t PAGE = 4096, HUGE_PAGE = (size_t)2 << 20;

static char *allocate(size_t bytes) {
    const size_t unit = bytes < HUGE_PAGE ? PAGE : HUGE_PAGE;
    const size_t whole = (bytes + unit - 1) / unit * unit;
    char *data = aligned_alloc(unit, whole);
    if (data && unit == HUGE_PAGE)
        madvise(data, whole, MADV_HUGEPAGE);
    return data;
}

copy_rows_fn *copy_bound_way(int i) {
    return i == 0 ? copy_rows_plain : copy_rows_streaming();
}

bool copy_bound_open(size_t bytes, int pieces, struct copy_bound *out) {
    *out = (struct copy_bound){allocate(bytes), allocate(bytes), bytes, pieces};
    if (!out->from || !out->to) {
        copy_bound_close(out);
        return false;
    }
    memset(out->from, 1, bytes);
    memset(out->to, 2, bytes);
    return true;
}

void copy_bound_run(const struct copy_bound *b, copy_rows_fn *way) {
    const size_t n = (size_t)b->pieces;
    for (size_t p = 0; p < n; p++) {
        const size_t begin = b->bytes / n * p, end = p == n - 1 ? b->bytes : b->bytes / n * (p + 1);
        const struct rectangle piece = {
            .to = b->to + begin, .from = b->from + begin, .row_bytes = end - begin, .rows = 1};
        way(&piece, 1, 0, 1);
    }
}

void copy_bound_close(struct copy_bound *b) {
    free(b->to);
    free(b->from);
    *b = (struct copy_bound){0};
}
