/* The `hybrid` transport: peers on the rank's own host through shared memory, all others through
 * MPI, both at once. A plan is split in two by peer. */
#ifndef SPB_COMM_TRANSPORT_HYBRID_H
#define SPB_COMM_TRANSPORT_HYBRID_H

#include "comm/transport/transport.h"

bool hybrid_transport_available(char *why, size_t why_size);
bool hybrid_transport_reaches(const struct transport_config *config, char *why, size_t why_size);
enum status hybrid_transport_open(const struct transport_config *config, struct transport **out);

#endif
