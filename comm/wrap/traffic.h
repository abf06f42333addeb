/* What exchanges move between ranks, over which links: noted while they run once.
 *
 * A transport with a log (transport->log) tells it of every plan that is made, started and waited
 * for. Plans that are in flight together are one step of the log: they share the links. */
#ifndef SPB_COMM_WRAP_TRAFFIC_H
#define SPB_COMM_WRAP_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "comm/ranks/group.h"
#include "comm/shape/link_traffic.h"
#include "topology/place/place.h"

struct plan;
struct plan_spec;
struct transport;

struct traffic_plan;

/* Zero-initialise. */
struct traffic_log {
    const struct place *places; /* [world size], borrowed */
    const struct group *world;
    struct transport *transport;
    struct traffic_plan *plans; /* all that were made, the latest last */
    size_t n_plans, room_plans;
    struct rank_traffic *steps; /* [n] */
    size_t n, room;
    int in_flight;
    bool noting, incomplete; /* incomplete: out of memory, or a plan that is not known */
};

/* From now on the transport's plans are known to the log; it outlives none of them. */
void traffic_open(struct traffic_log *log, struct transport *t, const struct group *world,
                  const struct place *places);
void traffic_close(struct traffic_log *log);

/* What runs from begin to end makes the steps. After end the transport has no log any more, so that
 * nothing is between a measurement and its exchanges. */
void traffic_begin(struct traffic_log *log);
void traffic_end(struct traffic_log *log);

/* Every rank's share of every step, [steps][world size], on all ranks; the caller frees it. NULL
 * (*steps 0) where nothing was noted, or not all of it, or ranks do not agree on the number of
 * steps. Collective over the world. */
struct rank_traffic *traffic_gather(const struct traffic_log *log, size_t *steps);

/* For transports (comm/transport/transport.c). */
void traffic_planned(struct traffic_log *log, const struct plan_spec *spec,
                     const struct plan *plan);
void traffic_started(struct traffic_log *log, const struct plan *plan);
void traffic_waited(struct traffic_log *log);

#endif
