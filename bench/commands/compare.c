/* compare: did anything become slower between two runs? */
#include <stdio.h>

#include "bench/commands/commands.h"
#include "results/compare/compare.h"

enum status compare_local(const struct opts *opts, const char *data_dir) {
    (void)data_dir;
    const struct compare_options options = {
        .threshold = opts_real(opts, "threshold", 0),
        .format = opts_str(opts, "output", 0),
    };
    return compare_paths(opts_argument(opts, 0), opts_argument(opts, 1), &options, stdout);
}
