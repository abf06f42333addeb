/* The process grid as arithmetic: world = dp_shard_size x sp_size, and where a rank stands in it.
 */
#ifndef SPB_COMM_SHAPE_GRID_H
#define SPB_COMM_SHAPE_GRID_H

#include "base/status.h"
#include "comm/shape/hosts.h"

enum placement {
    SP_INNER, /* SP ranks are neighbours: rank = dp * sp_size + sp */
    SP_OUTER  /* data-parallel ranks are neighbours: rank = sp * dp_shard_size + dp */
};

/* Coordinates of a world rank, and the world rank of coordinates. */
void grid_coordinates(enum placement placement, int sp_size, int dp_shard_size, int rank,
                      int *sp_rank, int *dp_rank);
int grid_rank(enum placement placement, int sp_size, int dp_shard_size, int sp_rank, int dp_rank);

/* ST_USAGE, said, unless sp_size x dp_shard_size fills world_size. */
enum status grid_check(int sp_size, int dp_shard_size, int world_size);

/* Where the SP ranks of data-parallel rank dp_rank are, of the world's hosts. */
struct hosts grid_sp_hosts(enum placement placement, int sp_size, int dp_shard_size, int dp_rank,
                           struct hosts world);

#endif
