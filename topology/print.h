/* A machine and the ranks on it, as JSON (schema spbench.topology/1) and as a table. */
#ifndef SPB_TOPOLOGY_PRINT_H
#define SPB_TOPOLOGY_PRINT_H

#include <stdio.h>

#include <jansson.h>

struct machine;
struct place;

/* One object: the machine, its caches, GPUs, NICs, ranks (places[i] is rank i; n_places may be 0),
 * and the link of every pair of GPUs, of GPU and NIC, and of ranks. What is not known is absent, or
 * null where the schema has the field always. The caller owns the result; NULL (and a logged error)
 * when memory is short. */
json_t *topology_json(const struct machine *machine, const struct place *places, int n_places);

/* The same for people. Up to 16 ranks show a matrix of links; more show counts per class. */
void topology_table(FILE *out, const struct machine *machine, const struct place *places,
                    int n_places);

#endif
