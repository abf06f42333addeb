#include "comm/transport/shm/signal.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not FUTEX_PRIVATE: the word is shared between processes. */
static void futex(struct shm_bell *bell, int operation, uint32_t value) {
    syscall(SYS_futex, (uint32_t *)&bell->rings, operation, value, NULL, NULL, 0);
}

void shm_bell_ring(struct shm_bell *bell) {
    if (!atomic_load_explicit(&bell->asleep, memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&bell->rings, 1, memory_order_release);
    futex(bell, FUTEX_WAKE, INT_MAX);
}

void shm_bell_sleep(struct shm_bell *bell, bool (*something)(void *arg), void *arg) {
    const uint32_t rings = atomic_load_explicit(&bell->rings, memory_order_acquire);
    atomic_store_explicit(&bell->asleep, 1, memory_order_relaxed);
    shm_signal_fence();
    if (!something(arg))
        futex(bell, FUTEX_WAIT, rings);
    atomic_store_explicit(&bell->asleep, 0, memory_order_relaxed);
}
