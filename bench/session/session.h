/* A command's run over its cases, on one rank. */
#ifndef SPB_BENCH_SESSION_SESSION_H
#define SPB_BENCH_SESSION_SESSION_H

#include "bench/cases/cases.h"
#include "bench/launch/run.h"
#include "bench/measure/measure.h"
#include "comm/wrap/fault.h"
#include "topology/place/placement.h"

struct session {
    struct run *run;
    uint64_t *host_keys; /* of run->places, [run->world->size] */
    struct sweep *sweep;
    struct options options; /* of the case that runs, as they were asked for */
    char title[TITLE_ROOM]; /* what it is called in messages */
    struct measure_config config;
    size_t cache_bytes; /* of last-level cache, where a host has the most */
    struct group crowd; /* the ranks that must share cores with this one */
    struct fault fault;
    long exchanges; /* of this rank so far, for the fault */
    struct link_source
        *sources; /* what is known of links, and who frees it: bench/links/source.h */
    struct placement_shape
        *advised; /* [n_advised] what advice was given for: bench/links/advice.h */
    int n_advised;
};

enum status session_open(struct session *s, struct run *run);
void session_close(struct session *s);

/* How the case is measured: the session's settings, with the case's own. */
struct measure_config session_measure_config(const struct session *s);

#endif
