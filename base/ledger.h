/* The memory ledger: every allocation names its category and its space, and peaks are kept.
 *
 * A ledger belongs to one rank and one measured case. Memory that something else allocates (a
 * shared window, a device) is entered with mem_note(). Not thread-safe: all allocation happens
 * while setting up, on one thread. */
#ifndef SPB_BASE_LEDGER_H
#define SPB_BASE_LEDGER_H

#include <stddef.h>

enum mem_category {
    MEM_WEIGHTS,
    MEM_GRADIENTS,
    MEM_ACTIVATIONS,
    MEM_EXCHANGE,
    MEM_WORKSPACE,
    MEM_CATEGORIES
};

enum mem_space { MEM_HOST, MEM_SHARED, MEM_DEVICE, MEM_SPACES };

/* Bytes in use and their peaks. Zero-initialise. */
struct mem_ledger {
    size_t now[MEM_CATEGORIES][MEM_SPACES];
    size_t peak[MEM_CATEGORIES];
    size_t total_now, total_peak;
};

/* "weights", "gradients", ...: the keys of the record's "memory" object. */
const char *mem_category_name(enum mem_category category);

/* bytes of host memory, 64-byte aligned, contents undefined; NULL (and a logged error) when there
 * is none. bytes == 0 gives a valid pointer. The caller frees it with mem_free() and the same
 * ledger. */
void *mem_alloc(struct mem_ledger *ledger, enum mem_category category, size_t bytes);

/* Releases what mem_alloc() gave; NULL is allowed. */
void mem_free(struct mem_ledger *ledger, void *ptr);

/* Enters (bytes > 0) or removes (bytes < 0) memory that was allocated elsewhere. */
void mem_note(struct mem_ledger *ledger, enum mem_category category, enum mem_space space,
              ptrdiff_t bytes);

/* Peak resident set size of the process in bytes since the last mem_rss_reset(), 0 if unknown. */
size_t mem_rss_peak(void);
void mem_rss_reset(void);

/* Memory that could be allocated on this host now (MemAvailable, cut down to the cgroup limit
 * where there is one), 0 if unknown. */
size_t mem_available(void);

#endif
