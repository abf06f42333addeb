/* --timeout inside a rank: a thread that, at the deadline, says where the rank is and ends it. */
#ifndef SPB_BENCH_LAUNCH_RANK_WATCHDOG_H
#define SPB_BENCH_LAUNCH_RANK_WATCHDOG_H

#include "base/status.h"
#include "bench/launch/rank_board.h"

/* How long a rank that timed out stays, so that the others can say where they are, too; and how
 * much longer a supervisor waits for them. */
#define WATCHDOG_GRACE_S 0.5

/* Zero-initialise; is borrowed while the watchdog runs. */
struct watchdog {
    int rank;
    double timeout_s; /* from watchdog_start() on; 0: never */
    struct rank_state *entry;
    const char *volatile now; /* what the rank works on */
    void *state;
};

/* ST_ENV when there can be no thread. */
enum status watchdog_start(struct watchdog *dog);
void watchdog_stop(struct watchdog *dog);

/* The rank whose watchdog printed this line, -1: none did. */
int watchdog_read(const char *line);

#endif
