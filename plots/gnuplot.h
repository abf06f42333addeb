/* Running gnuplot as a program. */
#ifndef SPB_PLOTS_GNUPLOT_H
#define SPB_PLOTS_GNUPLOT_H

#include "base/status.h"

#include <stddef.h>

enum { LABEL_ROOM = 160 };

/* Copies text with every character outside [A-Za-z0-9 .,:+-_/()=%] replaced by '_', cut to room:
 * what is left means nothing to gnuplot, in data, in a string or in a file name. */
void gnuplot_label(char *out, size_t room, const char *text);

/* gnuplot passes nine arguments to a script; the first one is main.gp's folder. */
enum { GNUPLOT_ARGS = 8 };

/* Runs `gnuplot -d -c main.gp` in folder dir, with data_dir (absolute) as first argument and then
 * args: picture, format, output file, ... as main.gp says. ST_ENV with the remedy when gnuplot is
 * missing, or when it fails. */
enum status gnuplot_run(const char *dir, const char *data_dir,
                        const char *const args[GNUPLOT_ARGS]);

/* Runs `gnuplot -d script` in folder dir, for a script that names its own output. */
enum status gnuplot_run_script(const char *dir, const char *script);

#endif
