/* One picture in every format asked for: its data file and its run of gnuplot. Internal to plots.
 */
#ifndef SPB_PLOTS_DRAW_H
#define SPB_PLOTS_DRAW_H

#include "plots/chart.h"
#include "plots/plot.h"

/* The folder that is drawn into and what was drawn so far. */
struct album {
    const struct plot_options *options;
    const char *scripts; /* their folder, absolute */
    size_t pictures;
};

/* Arguments of main.gp. */
struct picture {
    const char *name; /* of the script NAME.gp and the files NAME[-PAGE].dat, ... */
    size_t page;      /* from 0 */
    char title[2 * LABEL_ROOM];
    char colours[256], styles[256]; /* one number a series */
    char extra[LABEL_ROOM];         /* words for the script */
};

/* Opens the picture's data file for writing; NULL and a logged error when that fails. */
FILE *draw_data(const struct album *album, const struct picture *picture);

/* Runs gnuplot once a format; the data file is written and closed. */
enum status draw_picture(struct album *album, const struct picture *picture);

/* Draws all pages of a line chart. */
enum status draw_chart(struct album *album, const struct chart_kind *kind,
                       const struct chart *chart);

#endif
