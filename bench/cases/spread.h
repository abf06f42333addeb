/* How a case is spread over the ranks of a launch, from its options. */
#ifndef SPB_BENCH_CASES_SPREAD_H
#define SPB_BENCH_CASES_SPREAD_H

#include "bench/options/sweep.h"
#include "comm/shape/grid.h"
#include "models/model.h"

struct spread {
    int ranks, sp_size, dp_shard_size;
    enum placement placement;
};

/* --sp, --dp-shard and --placement of case i; "auto" is what fills the ranks. ST_USAGE, said, when
 * the sizes do not fill them. */
enum status spread_resolve(const struct sweep *sweep, size_t i, int ranks, struct spread *out);

/* The shape that case i asks for: --model, with --heads, --kv-heads, --head-dim and (with_hidden)
 * --hidden over it; whether the KV heads divide the query heads is the case's to check, since
 * another case of a sweep may do. ST_USAGE, said, when something is missing or the model file is
 * bad. */
enum status shape_resolve(const struct sweep *sweep, size_t i, const char *data_dir,
                          bool with_hidden, struct model_shape *out);

/* Does case i say anything of a shape? */
bool shape_given(const struct sweep *sweep, size_t i);

#endif
