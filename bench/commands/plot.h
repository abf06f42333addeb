/* The pictures of a run, for commands that draw them. */
#ifndef SPB_BENCH_COMMANDS_PLOT_H
#define SPB_BENCH_COMMANDS_PLOT_H

#include "base/status.h"

/* Draws them into out_dir (NULL: the run folder's plots/). formats: PLOT_* bits. */
enum status plot_folder(const char *run_dir, const char *out_dir, unsigned formats,
                        const char *data_dir);

#endif
