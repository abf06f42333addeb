/* The picture of a topology as PNG, by way of gnuplot. */
#ifndef SPB_BENCH_OUTPUT_TOPO_PNG_H
#define SPB_BENCH_OUTPUT_TOPO_PNG_H

#include "topology/print/print.h"

/* Draws what topology_svg() draws. ST_ENV when gnuplot is missing or fails, or files cannot be
 * written; it works in a folder of its own below $TMPDIR, which is gone afterwards. */
enum status topo_png(FILE *out, const struct machine *machine, const struct place *places, int n,
                     const struct pair_rates *rates);

#endif
