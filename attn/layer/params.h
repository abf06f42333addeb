/* Parameters sharded over all ranks, as ZeRO-3 and FSDP do: each rank keeps one part, gathers the
 * whole before use, and gets its part of the summed gradient back. (Rajbhandari et al., "ZeRO",
 * 2020.) */
#ifndef SPB_ATTN_LAYER_PARAMS_H
#define SPB_ATTN_LAYER_PARAMS_H

#include "comm/plan/exchange.h"
#include "comm/plan/in_flight.h"
#include "device/device.h"

/* One unit of parameters that is gathered at once; fp32. With one rank the shard is the whole. */
struct params {
    struct device *dev; /* borrowed, like what follows up to group */
    struct transport *transport;
    struct in_flight *in_flight;
    struct group *group; /* the ranks that share it */
    size_t n; /* elements; shards are n / size, rounded up, the last ones padded with zeros */
    size_t shard_n;
    struct buffer shard;      /* this rank's part */
    struct buffer grad_shard; /* of the gradient, summed over ranks; with backward */
    struct plan *gather, *scatter;
    /* Scratch shared by units used one after the other; unused when there is one rank. */
    const struct buffer *whole, *grad_whole, *staging;
};

/* Scratch buffers for units of up to n elements. */
struct params_scratch {
    struct transport *transport;
    struct buffer whole, grad_whole, staging;
};
enum status params_scratch_open(struct params_scratch *s, struct transport *t, struct group *group,
                                size_t n, bool backward);
void params_scratch_close(struct params_scratch *s);

/* Collective over group. Closed by params_close(), also after a failure. */
enum status params_open(struct params *p, struct device *dev, struct transport *t,
                        struct in_flight *in_flight, struct group *group, size_t n, bool backward,
                        const struct params_scratch *scratch);
void params_close(struct params *p);

/* The whole parameters, valid until the scratch serves another unit; which it does from
 * params_prefetch() on, where they are fetched while something is computed. */
const float *params_gather(const struct params *p);
void params_prefetch(const struct params *p);

/* Where the rank's whole gradient goes, and its reduction into grad_shard, which is complete when
 * it has been finished: only then the scratch may serve another unit's gradient. */
float *params_gradient(struct params *p);
void params_reduce_start(struct params *p);
void params_reduce_finish(struct params *p);

#endif
