/* A subcommand: a row, of which main() and those that start ranks call what there is. */
#ifndef SPB_BENCH_OPTIONS_COMMAND_H
#define SPB_BENCH_OPTIONS_COMMAND_H

#include "base/options/options.h"

struct options;
struct case_kind;
struct run;
struct supervised;

/* Index into the table's commands, and bit of struct option's. */
enum {
#define COMMAND(id, row) COMMAND_##id,
#include "bench/options/commands.def"
#undef COMMAND
    COMMANDS
};

struct command {
    struct option_command word; /* first: this is what a table of options has */

    /* Runs without ranks. NULL: the command is for ranks; or, where it has both, returns true when
     * these options need none. */
    enum status (*local)(const struct options *options, const char *data_dir);
    bool (*is_local)(const struct options *options); /* NULL: always if there is local */

    /* Launches what it runs itself and returns the exit code; for `suite`. */
    int (*launch)(const struct supervised *what);

    /* Runs on ranks; collective. All ranks return the same status. */
    enum status (*ranks)(struct run *run);

    /* Prints one document to run->out instead of records. */
    bool document;

    /* The kind of a case with these options (bench/cases/cases.h). NULL: it has no cases. */
    const struct case_kind *(*kind)(const struct options *options);
};

#endif
