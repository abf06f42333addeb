/* How a case is spread over the ranks of a launch, from its options. */
#ifndef SPB_BENCH_CASES_SPREAD_H
#define SPB_BENCH_CASES_SPREAD_H

#include "bench/options/options.h"
#include "comm/shape/grid.h"
#include "comm/shape/staging.h"
#include "models/model.h"

struct spread {
    int ranks, sp_size, dp_shard_size;
    enum placement placement;
};

/* --sp, --dp-shard and --placement of a case; "auto" is what fills the ranks, and options says so
 * afterwards. ST_USAGE, said, when the sizes do not fill them. */
enum status spread_resolve(struct options *options, int ranks, struct spread *out);

/* What its exchanges pack, with all ranks on one host and with one on each. */
void staging_resolve(const struct options *options, struct staging *one_host,
                     struct staging *apart);

/* The shape that a case asks for: --model, with --heads, --kv-heads, --head-dim and (with_hidden)
 * --hidden over it; whether the KV heads divide the query heads is the case's to check, since
 * another case of a sweep may do. ST_USAGE, said, when something is missing or the model file is
 * bad. */
enum status shape_resolve(const struct options *options, const char *data_dir, bool with_hidden,
                          struct model_shape *out);

/* Does a case say anything of a shape? */
bool shape_given(const struct options *options);

#endif
