/* How a case lies on the ranks of a launch, and by what way they are reached, from its options. */
#ifndef SPB_BENCH_CASES_GRID_SHAPE_H
#define SPB_BENCH_CASES_GRID_SHAPE_H

#include "bench/options/options.h"
#include "comm/shape/grid.h"
#include "comm/shape/staging.h"

struct grid_shape {
    int ranks, sp_size, dp_shard_size;
    enum placement placement;
};

/* --sp, --dp-shard and --placement of a case; "auto" is what fills the ranks, and options says so
 * afterwards. ST_USAGE, said, when the sizes do not fill them. */
enum status grid_shape_resolve(struct options *options, int ranks, struct grid_shape *out);

/* What its exchanges pack, with all ranks on one host and with one on each. */
void staging_resolve(const struct options *options, struct staging *one_host,
                     struct staging *apart);

#endif
