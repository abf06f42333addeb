/* The `shm` transport: ranks of one host copy from each other's memory.
 *
 * Buffers are memory that every rank of the host can map. A plan maps its peers' send buffers, and
 * each rank copies the blocks meant for it straight from the sender's rows to their final place, in
 * one pass. Flags say when a sender's blocks are ready, and when their reader is done with them. */
#ifndef SPB_COMM_TRANSPORT_SHM_SHM_H
#define SPB_COMM_TRANSPORT_SHM_SHM_H

#include "comm/transport/transport.h"

/* Opened by itself it may also be of ranks on several hosts; plans then must keep to peers on the
 * rank's own. */
extern const struct transport_row transport_shm;

#endif
