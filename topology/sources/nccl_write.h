/* What the two halves that turn NCCL's tree into hwloc XML share: nccl_write.c writes the tree,
 * nccl_matrix.c the matrices of links. Private to topology/sources/. */
#ifndef SPB_TOPOLOGY_SOURCES_NCCL_WRITE_H
#define SPB_TOPOLOGY_SOURCES_NCCL_WRITE_H

#include <stdio.h>

#include "topology/sources/nccl.h"

/* An end of links: a GPU of the file, or a switch that only links name. */
struct nccl_end {
    struct nccl_bus_id id;
    int pci; /* index, -1: a switch that is no device of the file */
    unsigned gp_index;
};

struct nccl_writer {
    FILE *out;
    const struct nccl_system *system;
    unsigned gp_index; /* the next one */
    struct nccl_end *ends;
    size_t n_ends;
    hwloc_bitmap_t *pus; /* of each cpu, made up where it has none */
    int *order;          /* in which cpus are written */
    hwloc_bitmap_t all, made_up;
    int n_nodes;
};

/* Finds the ends of all links. ST_USAGE where there are too many, ST_ENV when memory is short. */
enum status nccl_find_ends(struct nccl_writer *w);

/* NVSwitches that are no devices of the file. */
void nccl_put_switches(struct nccl_writer *w);

/* The matrices of NVLinks and XGMI links, after all objects. ST_ENV when memory is short. */
enum status nccl_put_matrices(struct nccl_writer *w);

#endif
