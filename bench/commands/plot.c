/* plot: the pictures of a run. */
#include <stdio.h>

#include "bench/commands/commands.h"
#include "plots/plot.h"

enum status plot_folder(const char *run_dir, const char *out_dir, unsigned formats,
                        const char *data_dir) {
    char scripts[4096];
    const int n = snprintf(scripts, sizeof scripts, "%s/plots/scripts", data_dir);
    if (n < 0 || (size_t)n >= sizeof scripts)
        return fail(ST_ENV, "the path of the data directory is too long: %s", data_dir);
    return plot_run(run_dir, &(struct plot_options){out_dir, scripts, formats});
}

enum status plot_local(const struct opts *opts, const char *data_dir) {
    unsigned formats = 0;
    for (size_t i = 0; i < opts_count(opts, "output"); i++) {
        unsigned format;
        const enum status st = plot_formats(opts_str(opts, "output", i), &format);
        if (st != ST_OK)
            return st;
        formats |= format;
    }
    return plot_folder(opts_argument(opts, 0),
                       opts_count(opts, "dir") > 0 ? opts_str(opts, "dir", 0) : NULL, formats,
                       data_dir);
}
