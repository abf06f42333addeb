/* The parts of the picture of a machine. Private to topology/. */
#ifndef SPB_TOPOLOGY_PRINT_PICTURE_PARTS_H
#define SPB_TOPOLOGY_PRINT_PICTURE_PARTS_H

#include "base/status.h"
#include "topology/print/print.h"

struct drawing;

/* Draws the machine as boxes with its upper left corner at (x, y): packages, NUMA nodes, L3 caches,
 * cores, devices, and the ranks on the first rank's host; and one box for each further host. ST_ENV
 * when memory is short. */
enum status picture_boxes(struct drawing *d, double x, double y, const struct machine *machine,
                          const struct place *places, int n);

/* Draws the matrices of links below y: of GPUs and NICs, of ranks, and of what was measured between
 * ranks (rates may be NULL). Nothing where there are less than two. */
void picture_matrices(struct drawing *d, double x, double y, const struct machine *machine,
                      const struct place *places, int n, const struct pair_rates *rates);

/* Everything. ST_ENV when memory is short. */
enum status picture_draw(struct drawing *d, const struct machine *machine,
                         const struct place *places, int n, const struct pair_rates *rates);

#endif
