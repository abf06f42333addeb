#include "bench/cases/grid_shape.h"

#include "comm/transport/transport.h"

enum status grid_shape_resolve(struct options *o, int ranks, struct grid_shape *out) {
    const int sp = o->sp, dp = o->dp_shard; /* auto: 0 */
    out->ranks = ranks;
    out->placement = o->placement;
    out->sp_size = sp ? sp : dp ? (ranks / dp ? ranks / dp : 1) : ranks;
    out->dp_shard_size = dp ? dp : ranks / out->sp_size ? ranks / out->sp_size : 1;
    o->sp = out->sp_size;
    o->dp_shard = out->dp_shard_size;
    if (o->sp == 1 || o->dp_shard == 1) /* there is but one order */
        o->placement = SP_INNER;
    if (o->transport && o->transport->algorithm == ALGORITHM_UNUSED)
        o->mpi_algo = NULL;
    return grid_check(out->sp_size, out->dp_shard_size, ranks);
}

void staging_resolve(const struct options *o, struct staging *one_host, struct staging *apart) {
    one_host->rule = transport_staging(o->transport, o->mpi_algo, true);
    apart->rule = transport_staging(o->transport, o->mpi_algo, false);
}
