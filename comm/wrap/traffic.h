/* What exchanges move between ranks, over which links: noted while they run once.
 *
 * A log stands before a transport's operations while it listens, and is told so of every plan that
 * is made, started and waited for; afterwards nothing is left of it there, so that it costs no
 * measurement anything. Plans that are in flight together are one step of the log: they share the
 * links. */
#ifndef SPB_COMM_WRAP_TRAFFIC_H
#define SPB_COMM_WRAP_TRAFFIC_H

#include "comm/plan/plan.h"
#include "comm/shape/link_traffic.h"
#include "topology/place/place.h"

struct traffic_plan;

/* Zero-initialise. It stays where it is while it listens. */
struct traffic_log {
    struct transport_ops listening;  /* what the transport has in their place: stands first */
    const struct transport_ops *ops; /* the transport's own */
    struct transport *transport;     /* NULL: it does not listen */
    const struct place *places;      /* [world size], borrowed */
    const struct group *world;
    struct traffic_plan *plans; /* all that were made, the latest last */
    size_t n_plans, room_plans;
    struct rank_traffic *steps; /* [n] */
    size_t n, room;
    int in_flight;
    bool noting, incomplete; /* incomplete: out of memory, or a plan that is not known */
};

/* Listens from now on. Of several wrappers around a transport it belongs before the outermost. */
void traffic_open(struct traffic_log *log, struct transport *t, const struct group *world,
                  const struct place *places);
void traffic_close(struct traffic_log *log);

/* What runs from begin to end makes the steps. After end it listens no more. */
void traffic_begin(struct traffic_log *log);
void traffic_end(struct traffic_log *log);

/* Every rank's share of every step, [steps][world size], on all ranks; the caller frees it. NULL
 * (*steps 0) where nothing was noted, or not all of it, or ranks do not agree on the number of
 * steps. Collective over the world. */
struct rank_traffic *traffic_gather(const struct traffic_log *log, size_t *steps);

#endif
