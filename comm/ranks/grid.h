/* The process grid of a run: the groups of ranks that comm/shape/grid.h describes. */
#ifndef SPB_COMM_RANKS_GRID_H
#define SPB_COMM_RANKS_GRID_H

#include "comm/ranks/group.h"
#include "comm/shape/grid.h"

struct process_grid {
    enum placement placement;
    int sp_size, dp_shard_size;
    int sp_rank, dp_rank;
    struct group *world; /* borrowed */
    struct group sp;     /* the ranks that share a sequence */
};

/* Collective over world. The sizes must have passed grid_check(). Freed by grid_free(). */
enum status grid_init(struct process_grid *grid, struct group *world, int sp_size,
                      int dp_shard_size, enum placement placement);
void grid_free(struct process_grid *grid);

#endif
