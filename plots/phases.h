/* Time by phase: stacked bars, Ulysses beside Ring for every sequence length and sp_size. */
#ifndef SPB_PLOTS_PHASES_H
#define SPB_PLOTS_PHASES_H

#include "plots/draw.h"

/* Draws them from attn records (an array). */
enum status draw_phases(struct album *album, const json_t *records);

#endif
