/* The ranks of a launch as their supervisor sees them: a small file that all of them map.
 *
 * A rank that was stopped or killed cannot say where it was; what it last wrote here can. */
#ifndef SPB_BENCH_LAUNCH_RANK_BOARD_H
#define SPB_BENCH_LAUNCH_RANK_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/trace.h"

/* What a rank's status is before it ends: MPI has yet to join it to the others, or has done so. */
enum { RANK_STARTING = -2, RANK_RUNNING = -1 };

/* All zero until the rank comes. */
struct rank_state {
    volatile pid_t pid;
    _Atomic int status;     /* RANK_STARTING, RANK_RUNNING, or how the rank ended */
    volatile bool reported; /* the supervisor read what its watchdog said */
    struct trace trace;     /* its phases */
};

struct rank_board {
    struct rank_state *ranks; /* [n] */
    int n;
};

/* Makes the file in the launch's folder, for n ranks. ST_ENV, logged. */
enum status rank_board_create(struct rank_board *board, const char *dir, int n);

/* Maps it in a rank. false if there is none (another host, a bare mpiexec): then board holds n
 * private entries. */
bool rank_board_join(struct rank_board *board, const char *dir, int n);

/* What has become of a rank. One that has timed out stays so, whatever it does in its last moments:
 * its watchdog has said it. */
void rank_state_note(struct rank_state *entry, int status);

void rank_board_close(struct rank_board *board);

#endif
