#include "bench/session/session.h"

#include <stdlib.h>

enum status session_open(struct session *s, struct run *run) {
    const struct options *o = run->options;
    *s = (struct session){
        .run = run,
        .options = *o,
        .config =
            {
                .rel_ci = o->rel_ci,
                .min_samples = o->min_samples,
                .max_samples = o->max_samples,
                .max_time_s = o->max_time,
                .max_warmup_s = o->max_warmup,
            },
    };
    if (o->fault && fault_read(o->fault, &s->fault) && s->fault.rank >= run->world->size)
        return run->world->rank > 0 ? ST_USAGE
                                    : fail(ST_USAGE, "--fault %s: there are ranks 0 to %d",
                                           o->fault, run->world->size - 1);
    const int ranks = run->world->size, rank = run->world->rank;
    s->host_keys = malloc((size_t)ranks * sizeof *s->host_keys);
    enum status st = group_agree(
        run->world, s->host_keys ? ST_OK : fail(ST_ENV, "out of memory for %d ranks", ranks));
    if (st == ST_OK)
        st = group_split(run->world, places_crowd(run->places, ranks, rank), rank, &s->crowd);
    if (st != ST_OK)
        return st;
    s->config.crowd = &s->crowd;
    uint64_t cache_bytes = machine_cache_bytes(run->machine);
    group_max_u64(run->world, &cache_bytes, 1);
    s->cache_bytes = (size_t)cache_bytes;
    for (int r = 0; r < ranks; r++)
        s->host_keys[r] = run->places[r].host_key;
    return sweep_create(o, run->world->size, &s->sweep);
}

void session_close(struct session *s) {
    free(s->advised);
    sweep_free(s->sweep);
    group_free(&s->crowd);
    free(s->host_keys);
}

struct measure_config session_measure_config(const struct session *s) {
    struct measure_config config = s->config;
    config.sync = s->options.sync;
    return config;
}
