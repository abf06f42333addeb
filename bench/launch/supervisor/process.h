/* Processes that the supervisor starts, and ends: those and no other. */
#ifndef SPB_BENCH_LAUNCH_SUPERVISOR_PROCESS_H
#define SPB_BENCH_LAUNCH_SUPERVISOR_PROCESS_H

#include <sys/types.h>

#include "base/status.h"

/* What a child gets. */
struct process_spec {
    char *const *argv; /* argv[0]: the program, searched in PATH if it has no slash */
    int out, err;      /* its stdout and stderr; stdin is /dev/null */
};

/* Starts a child in a process group of its own (a terminal's Ctrl-C reaches only us), with default
 * signals, which gets SIGTERM when this process dies. ST_ENV (logged) when it cannot be started. */
enum status process_start(const struct process_spec *spec, pid_t *out);

/* Makes descendants whose parents die children of this process, so that none escapes. */
void process_adopt(void);

/* Sends a signal to every descendant of this process, and returns how many there are. above > 0:
 * only to those without children of their own, and not to that one: to ranks, but not to the
 * launcher that waits for them. */
int process_signal_descendants(int signal, pid_t above);

#endif
