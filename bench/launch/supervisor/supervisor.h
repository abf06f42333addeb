/* The process behind -n: it starts one mpiexec per launch, passes results on, and answers for how
 * the ranks end. It never initialises MPI. */
#ifndef SPB_BENCH_LAUNCH_SUPERVISOR_SUPERVISOR_H
#define SPB_BENCH_LAUNCH_SUPERVISOR_SUPERVISOR_H

#include "bench/cases/cases.h"
#include "bench/output/run_output.h"

/* One command line to launch. Borrowed. */
struct supervised {
    const struct options *options;
    int argc; /* what the ranks are started with */
    char **argv;
    const char *data_dir;
};

/* The cases of every rank count, checked, or with list listed; nothing is started. ST_USAGE, said,
 * when none can run or one is unsound. */
enum status supervise_cases(const struct supervised *what, struct case_list *list);

/* Launches every entry of -n, --launches times. Records go to output; a document goes to document
 * (NULL: nowhere). Returns an exit code: a status, or 128 + the signal that ended the supervisor.
 * The first launch that fails is the last. */
int supervise(const struct supervised *what, struct run_output *output, FILE *document);

/* A whole command line: validates, opens the output, launches. */
int supervise_command(const struct supervised *what);

#endif
