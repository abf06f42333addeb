/* plot: the pictures of a run. */
#include "bench/commands/plot.h"

#include <stdio.h>

#include "bench/options/command.h"
#include "bench/options/options.h"
#include "plots/plot.h"

enum status plot_folder(const char *run_dir, const char *out_dir, unsigned formats,
                        const char *data_dir) {
    char scripts[4096];
    const int n = snprintf(scripts, sizeof scripts, "%s/plots/scripts", data_dir);
    if (n < 0 || (size_t)n >= sizeof scripts)
        return fail(ST_ENV, "the path of the data directory is too long: %s", data_dir);
    return plot_run(run_dir, &(struct plot_options){out_dir, scripts, formats});
}

static enum status plot(const struct options *o, const char *data_dir) {
    unsigned formats = 0;
    for (size_t i = 0; i < o->pictures.n; i++)
        formats |= (unsigned)o->pictures.v[i].choice.number;
    return plot_folder(opts_argument(o->line, 0), o->dir, formats, data_dir);
}

const struct command plot_command = {
    .word = {"plot", "Draws the pictures of a run with gnuplot", "RUN_DIR", 1, 1},
    .local = plot,
};
