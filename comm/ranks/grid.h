/* The process grid: world = dp_shard_size x sp_size, and where a rank stands in it. */
#ifndef SPB_COMM_RANKS_GRID_H
#define SPB_COMM_RANKS_GRID_H

#include "base/status.h"
#include "comm/ranks/group.h"
#include "comm/shape/hosts.h"

enum placement {
    SP_INNER, /* SP ranks are neighbours: rank = dp * sp_size + sp */
    SP_OUTER  /* data-parallel ranks are neighbours: rank = sp * dp_shard_size + dp */
};

struct grid {
    enum placement placement;
    int sp_size, dp_shard_size;
    int sp_rank, dp_rank;
    struct group *world; /* borrowed */
    struct group sp;     /* the ranks that share a sequence */
};

/* Pure arithmetic: coordinates of a world rank, and the world rank of coordinates. */
void grid_coordinates(enum placement placement, int sp_size, int dp_shard_size, int rank,
                      int *sp_rank, int *dp_rank);
int grid_rank(enum placement placement, int sp_size, int dp_shard_size, int sp_rank, int dp_rank);

/* ST_USAGE, said, unless sp_size x dp_shard_size fills world_size. */
enum status grid_check(int sp_size, int dp_shard_size, int world_size);

/* Collective over world. The sizes must have passed grid_check(). Freed by grid_free(). */
enum status grid_init(struct grid *grid, struct group *world, int sp_size, int dp_shard_size,
                      enum placement placement);
void grid_free(struct grid *grid);

/* Where the ranks of grid->sp are, of the world's [world size], which are borrowed. */
struct hosts grid_sp_hosts(const struct grid *grid, const uint64_t *world_keys);

#endif
