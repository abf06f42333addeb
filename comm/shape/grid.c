#include "comm/shape/grid.h"

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

struct hosts grid_sp_hosts(enum placement placement, int sp_size, int dp_shard_size, int dp_rank,
                           struct hosts world) {
    const int first = grid_rank(placement, sp_size, dp_shard_size, 0, dp_rank);
    const int second = grid_rank(placement, sp_size, dp_shard_size, 1, dp_rank);
    return hosts_part(world, first, second - first);
}
