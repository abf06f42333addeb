/* Pictures of a run, drawn by gnuplot (run as a program, never through a shell).
 *
 * Nothing from a record reaches gnuplot as code: scripts are fixed files, numbers are written to
 * .dat files, labels are cut down to a whitelist of characters and only ever read as data or
 * arguments. */
#ifndef SPB_PLOTS_PLOT_H
#define SPB_PLOTS_PLOT_H

#include "base/status.h"

#include <jansson.h>

/* A format of pictures; formats are asked for together, by their bits. */
struct plot_format {
    const char *name;
    unsigned bit;
};

/* Ends with one without a name. */
extern const struct plot_format plot_format_table[];

enum { PLOT_PNG = 1, PLOT_SVG = 2 };

struct plot_options {
    const char *out_dir;  /* created when missing; existing pictures are replaced */
    const char *data_dir; /* where the .gp files are */
    unsigned formats;     /* PLOT_PNG | PLOT_SVG */
};

/* Draws every picture that the records (an array) have data for, several pages where settings
 * differ:
 *
 *   bandwidth        busbw by message size, per exchange
 *   bandwidth_model  the same for model-shaped exchanges, by bytes sent
 *   tokens           tokens/s by sequence length, per method and sp_size
 *   memory           peak memory by sequence length, measured and predicted
 *   phases           time by phase, Ulysses beside Ring
 *
 * Records whose check is wrong are left out. A picture without data is skipped with a note.
 * ST_USAGE when there is nothing to draw at all, ST_ENV when gnuplot is missing or fails, or when
 * out_dir cannot be written. */
enum status plot_records(const json_t *records, const struct plot_options *options);

/* The records of a run folder. options->out_dir NULL: the folder's plots/. */
enum status plot_run(const char *run_dir, const struct plot_options *options);

#endif
