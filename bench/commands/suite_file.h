/* A suite: a text file with one spbench command a line.
 *
 * Words are separated by blanks, '#' begins a comment. "cores>=N:" or "cores<N:" before the command
 * keeps it to machines with so many allowed cores. */
#ifndef SPB_BENCH_COMMANDS_SUITE_FILE_H
#define SPB_BENCH_COMMANDS_SUITE_FILE_H

#include <stddef.h>

#include "bench/options/options.h"

struct suite_step {
    char *text;  /* the command as it stands in the file */
    char *words; /* what argv points into, ... */
    char *extra; /* ... and this: words handed on */
    char **argv; /* [argc], argv[0] is the program's name */
    int argc;
    struct options options;
};

struct suite {
    struct suite_step *steps;
    size_t n;
};

/* Reads path for a machine with so many cores. What the suite's own options hand on is appended to
 * every command that takes it: "--max-time=1s". ST_USAGE, logged with file and line: a file that
 * cannot be read, a condition or a command that is wrong or does not run on ranks, or no command at
 * all. suite_free() in any case. */
enum status suite_read(const char *path, int cores, const struct options *own, struct suite *out);
void suite_free(struct suite *suite);

#endif
