/* How many bytes a plan moves between this rank and every other one, agreed upon by both ends. */
#ifndef SPB_COMM_PLAN_PEER_BYTES_H
#define SPB_COMM_PLAN_PEER_BYTES_H

#include <stdint.h>

#include "comm/plan/plan.h"

/* By rank of the group, the rank itself included. */
struct peer_bytes {
    uint64_t *send, *recv;
};

/* Every rank's bytes for every peer must be what the peer expects: a mistake in a block list is an
 * error here, on all ranks, and not a hang or a truncated message later. Collective over the
 * spec's group. Released with peer_bytes_free(), also after a failure. */
enum status peer_bytes_agree(const struct plan_spec *spec, struct peer_bytes *out);
void peer_bytes_free(struct peer_bytes *bytes);

/* What the plan's head says about its volume. */
void plan_count(const struct plan_spec *spec, struct plan *plan);

#endif
