/* Waiting is a policy: every blocking wait of every transport goes through wait_until().
 *
 * MPI libraries spin while they wait. With more ranks than cores a spinning rank keeps the one it
 * waits for off the processor until the scheduler's tick; one that yields does not. */
#ifndef SPB_COMM_RANKS_WAIT_H
#define SPB_COMM_RANKS_WAIT_H

#include <stdbool.h>

enum wait_policy {
    WAIT_SPIN,  /* a core per rank: lowest latency */
    WAIT_YIELD, /* ranks share cores: sched_yield(2) between polls */
    WAIT_BLOCK, /* many ranks a core: sleeps until woken, or for a short while, between polls */
    WAIT_POLICIES
};

/* "spin", "yield", "block"; WAIT_POLICIES is not a policy. */
const char *wait_policy_name(enum wait_policy policy);

/* The default for this many ranks a core. */
enum wait_policy wait_policy_default(int ranks_per_core);

/* Polls done(arg) until it is true. done must make progress itself. */
void wait_until(enum wait_policy policy, bool (*done)(void *arg), void *arg);

/* The same where whoever makes done(arg) true can wake this rank: WAIT_BLOCK calls sleep(arg),
 * which returns when done(arg) is worth asking again. */
void wait_until_woken(enum wait_policy policy, bool (*done)(void *arg), void (*sleep)(void *arg),
                      void *arg);

#endif
