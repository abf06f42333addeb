/* A machine and the ranks on it: as JSON (schema spbench.topology/1), as a table, as a picture. */
#ifndef SPB_TOPOLOGY_PRINT_PRINT_H
#define SPB_TOPOLOGY_PRINT_PRINT_H

#include <stdio.h>

#include <jansson.h>

#include "base/status.h"
#include "topology/link.h"

struct machine;
struct place;
struct placement_shape;

/* One object: the machine, its caches, GPUs, NICs, ranks (places[i] is rank i; n_places may be 0),
 * and the link of every pair of GPUs, of GPU and NIC, and of ranks. What is not known is absent, or
 * null where the schema has the field always. The caller owns the result; NULL (and a logged error)
 * when memory is short. */
json_t *topology_json(const struct machine *machine, const struct place *places, int n_places);

/* The same for people. Up to 16 ranks show a matrix of links; more show counts per class. */
void topology_table(FILE *out, const struct machine *machine, const struct place *places,
                    int n_places);

/* Both placements of a shape (placement.h) with their links and the advice, for people and as JSON:
 * {"sp_size", "dp_shard_size", "placement", "sp-inner": {"sp_best_link", "sp_worst_link",
 * "dp_best_link", "dp_worst_link"}, "sp-outer": {...}, "advice"}; absent where there is none. */
void placement_print(FILE *out, const struct place *places, const struct placement_shape *shape);
json_t *placement_json(const struct place *places, const struct placement_shape *shape);

/* What was measured between ranks. */
struct pair_rates {
    const char *title;
    int n;                          /* ranks */
    const double *gb_s;             /* [n * n], 0 where nothing was measured */
    const enum link_class *classes; /* [n * n], LINK_CLASSES where unknown */
};

/* A picture: packages, NUMA nodes, caches, cores, GPUs, NICs and ranks as boxes, and heat maps of
 * the links of all pairs and, if rates is not NULL, of what was measured. Text from files is
 * escaped. ST_ENV when memory is short. */
enum status topology_svg(FILE *out, const struct machine *machine, const struct place *places,
                         int n_places, const struct pair_rates *rates);

/* The same as a gnuplot script that writes it to a file as PNG. */
enum status topology_gnuplot(FILE *script, const char *png, const struct machine *machine,
                             const struct place *places, int n_places,
                             const struct pair_rates *rates);

#endif
