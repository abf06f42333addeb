/* How a launch ended: what its ranks left in the board and what the launcher said, as one status
 * and, where something went wrong that nobody has said yet, one message. */
#ifndef SPB_BENCH_LAUNCH_SUPERVISOR_ENDING_H
#define SPB_BENCH_LAUNCH_SUPERVISOR_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "bench/launch/rank_board.h"
#include "bench/launch/supervisor/shortage.h"

/* What mpiexec says about the first rank that went down, and anybody about why. */
struct obituary {
    bool in_banner;
    bool named; /* rank is */
    int rank;
    pid_t pid;  /* 0: nothing was said */
    int signal; /* that killed it, 0: none was named */
    enum shortage shortage;
};

/* Reads one line of the launcher's stdout, where Hydra (MPICH) puts a banner; true: it belongs to
 * the banner. */
bool obituary_read(struct obituary *obituary, const char *line);

/* The same for stderr, where Open MPI says it, among what ranks say. */
bool obituary_read_stderr(struct obituary *obituary, const char *line);

struct ending {
    const struct rank_board *board;
    struct obituary obituary;
    int wait_status; /* of the launcher, as waitpid() gives it */
    bool timed_out;  /* the supervisor stopped it at its deadline */
    double timeout_s;
};

/* ST_ENV where no rank ever got through MPI's start (RANK_RUNNING), and none was killed there;
 * ST_DIED where a rank was killed, or ended without a word later. */
enum status ending_explain(const struct ending *ending);

#endif
