/* What main() dispatches to: one row per subcommand. */
#ifndef SPB_BENCH_COMMANDS_COMMAND_H
#define SPB_BENCH_COMMANDS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/options/options.h"
#include "base/trace.h"
#include "comm/ranks/group.h"
#include "topology/model/machine.h"
#include "topology/place/place.h"

struct sink;
struct supervised;

/* What a command that runs on ranks is given, on every rank. */
struct run {
    const struct opts *opts;
    const char *data_dir;
    const struct machine *machine;
    struct group *world;        /* waits by --wait, or as ranks per core suggest */
    const struct place *places; /* [world->size] */
    int threads;                /* default compute threads of a rank */
    struct trace *trace;        /* phases; the watchdog says which one a rank hangs in */
    const char *volatile *now;  /* what the rank works on, for the watchdog: set to static or
                                   long-lived text */
    struct sink *sink;          /* takes records and progress; does nothing on ranks other than 0 */
    FILE *out;                  /* rank 0 of a command that prints a document, else NULL */
};

struct command_row {
    /* Runs without ranks. NULL: the command is for ranks; or, where it has both, returns true when
     * these options need none. */
    enum status (*local)(const struct opts *opts, const char *data_dir);
    bool (*is_local)(const struct opts *opts); /* NULL: always if there is local */

    /* Launches what it runs itself and returns the exit code; for `suite`. */
    int (*launch)(const struct supervised *what);

    /* Runs on ranks; collective. All ranks return the same status. */
    enum status (*ranks)(struct run *run);

    /* Prints one document to run->out instead of records. */
    bool document;

    /* For commands with cases, pure (no MPI): says on stderr which cases of this rank count are
     * skipped and why, and adds the others to *runnable; prints them with what is predicted for
     * them, or with out NULL checks that their memory is there. ST_USAGE for what no other rank
     * count could mend. NULL: no cases. */
    enum status (*cases)(const struct opts *opts, const char *data_dir, int ranks, FILE *out,
                         size_t *runnable);
};

/* Indexed by enum command of bench/options/table.h. */
extern const struct command_row command_rows[];

#endif
