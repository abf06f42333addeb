#include "comm/ranks/grid.h"

enum status grid_init(struct process_grid *grid, struct group *world, int sp_size,
                      int dp_shard_size, enum placement placement) {
    *grid = (struct process_grid){
        .placement = placement, .sp_size = sp_size, .dp_shard_size = dp_shard_size, .world = world};
    grid_coordinates(placement, sp_size, dp_shard_size, world->rank, &grid->sp_rank,
                     &grid->dp_rank);
    return group_split(world, grid->dp_rank, grid->sp_rank, &grid->sp);
}

void grid_free(struct process_grid *grid) {
    group_free(&grid->sp);
}
