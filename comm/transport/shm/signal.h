/* How ranks tell each other, through shared memory, that something has happened. */
#ifndef SPB_COMM_TRANSPORT_SHM_SIGNAL_H
#define SPB_COMM_TRANSPORT_SHM_SIGNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SHM_LINE = 64 };

/* The number of the last exchange for which something is true; one writer. A cache line of its own:
 * whoever polls one does not slow down the writer of another. */
struct shm_flag {
    _Alignas(SHM_LINE) _Atomic uint64_t exchange;
};

/* One per rank: by it the rank is woken, whichever flag it sleeps for. */
struct shm_bell {
    _Alignas(SHM_LINE) _Atomic uint32_t rings;
    _Atomic uint32_t asleep;
};

/* Says that exchange has come so far; what was written before is visible to who sees it. */
static inline void shm_flag_raise(struct shm_flag *flag, uint64_t exchange) {
    atomic_store_explicit(&flag->exchange, exchange, memory_order_release);
}

static inline bool shm_flag_reached(const struct shm_flag *flag, uint64_t exchange) {
    return atomic_load_explicit(&flag->exchange, memory_order_acquire) >= exchange;
}

/* Between raising flags and looking whether their readers sleep. Pairs with shm_bell_sleep(): of a
 * flag and a sleeper, one sees the other. */
static inline void shm_signal_fence(void) {
    atomic_thread_fence(memory_order_seq_cst);
}

/* Wakes the bell's owner if it sleeps. */
void shm_bell_ring(struct shm_bell *bell);

/* Sleeps until the bell rings, unless something(arg), asked once more, has already happened. May
 * return early. */
void shm_bell_sleep(struct shm_bell *bell, bool (*something)(void *arg), void *arg);

#endif
