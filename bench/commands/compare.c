/* compare: did anything become slower between two runs? */
#include "results/compare/compare.h"

#include "bench/options/command.h"
#include "bench/options/options.h"

static enum status compare(const struct options *o, const char *data_dir) {
    (void)data_dir;
    const struct compare_options options = {.threshold = o->threshold, .printer = o->comparison};
    return compare_paths(opts_argument(o->line, 0), opts_argument(o->line, 1), &options, stdout);
}

const struct command compare_command = {
    .word = {"compare", "Compares two runs case by case; exit code 1 on a regression", "BASE NEW",
             2, 2},
    .local = compare,
};
