#include "comm/ranks/wait.h"

#include <sched.h>
#include <string.h>
#include <time.h>

static const char *const policy_names[WAIT_POLICIES] = {
    [WAIT_SPIN] = "spin",
    [WAIT_YIELD] = "yield",
    [WAIT_BLOCK] = "block",
};

const char *wait_policy_name(enum wait_policy policy) {
    return policy_names[policy];
}

enum wait_policy wait_policy_default(int ranks_per_core) {
    /* Beyond this many, ranks that yield spend the core on yielding to each other. */
    enum { CROWD = 16 };
    if (ranks_per_core <= 1)
        return WAIT_SPIN;
    return ranks_per_core <= CROWD ? WAIT_YIELD : WAIT_BLOCK;
}

static void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void nap(void *arg) {
    const struct timespec short_while = {.tv_nsec = 20000};
    (void)arg;
    nanosleep(&short_while, NULL);
}

void wait_until_woken(enum wait_policy policy, bool (*done)(void *arg), void (*sleep)(void *arg),
                      void *arg) {
    while (!done(arg)) {
        switch (policy) {
        case WAIT_YIELD:
            sched_yield();
            break;
        case WAIT_BLOCK:
            sleep(arg);
            break;
        default:
            cpu_relax();
        }
    }
}

void wait_until(enum wait_policy policy, bool (*done)(void *arg), void *arg) {
    wait_until_woken(policy, done, nap, arg);
}
