/* The ranks of a launch as their supervisor sees them: a small file that all of them map.
 *
 * A rank that was stopped or killed cannot say where it was; what it last wrote here can. */
#ifndef SPB_BENCH_LAUNCH_ROSTER_H
#define SPB_BENCH_LAUNCH_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/trace.h"

/* What a rank's status is before it ends: MPI has yet to join it to the others, or has done so. */
enum { ROSTER_STARTING = -2, ROSTER_RUNNING = -1 };

/* All zero until the rank comes. */
struct roster_entry {
    volatile pid_t pid;
    _Atomic int status;     /* ROSTER_STARTING, ROSTER_RUNNING, or how the rank ended */
    volatile bool reported; /* the supervisor read what its watchdog said */
    struct trace trace;     /* its phases */
};

struct roster {
    struct roster_entry *ranks; /* [n] */
    int n;
};

/* Makes the file in the launch's folder, for n ranks. ST_ENV, logged. */
enum status roster_create(struct roster *roster, const char *dir, int n);

/* Maps it in a rank. false if there is none (another host, a bare mpiexec): then roster holds n
 * private entries. */
bool roster_join(struct roster *roster, const char *dir, int n);

/* What has become of a rank. One that has timed out stays so, whatever it does in its last moments:
 * its watchdog has said it. */
void roster_note(struct roster_entry *entry, int status);

void roster_close(struct roster *roster);

#endif
