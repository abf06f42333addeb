#include "comm/ranks/grid.h"

void grid_coordinates(enum placement placement, int sp_size, int dp_shard_size, int rank,
                      int *sp_rank, int *dp_rank) {
    if (placement == SP_INNER) {
        *sp_rank = rank % sp_size;
        *dp_rank = rank / sp_size;
        return;
    }
    *sp_rank = rank / dp_shard_size;
    *dp_rank = rank % dp_shard_size;
}

int grid_rank(enum placement placement, int sp_size, int dp_shard_size, int sp_rank, int dp_rank) {
    return placement == SP_INNER ? dp_rank * sp_size + sp_rank : sp_rank * dp_shard_size + dp_rank;
}

enum status grid_check(int sp_size, int dp_shard_size, int world_size) {
    if ((long)sp_size * dp_shard_size == world_size)
        return ST_OK;
    return fail(
        ST_USAGE,
        "--sp %d x --dp-shard %d = %ld ranks, but %d run; choose sizes whose product is the "
        "rank count, or start with -n %ld",
        sp_size, dp_shard_size, (long)sp_size * dp_shard_size, world_size,
        (long)sp_size * dp_shard_size);
}

enum status grid_init(struct grid *grid, struct group *world, int sp_size, int dp_shard_size,
                      enum placement placement) {
    *grid = (struct grid){
        .placement = placement, .sp_size = sp_size, .dp_shard_size = dp_shard_size, .world = world};
    grid_coordinates(placement, sp_size, dp_shard_size, world->rank, &grid->sp_rank,
                     &grid->dp_rank);
    return group_split(world, grid->dp_rank, grid->sp_rank, &grid->sp);
}

void grid_free(struct grid *grid) {
    group_free(&grid->sp);
}

struct hosts grid_sp_hosts(const struct grid *g, const uint64_t *world_keys) {
    const int first = grid_rank(g->placement, g->sp_size, g->dp_shard_size, 0, g->dp_rank);
    const int second = grid_rank(g->placement, g->sp_size, g->dp_shard_size, 1, g->dp_rank);
    return hosts_part((struct hosts){world_keys, 0, 1}, first, second - first);
}
