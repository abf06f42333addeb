/* What an exchange moves between ranks, over which links. */
#ifndef SPB_COMM_SHAPE_LINK_TRAFFIC_H
#define SPB_COMM_SHAPE_LINK_TRAFFIC_H

#include "topology/link.h"

/* One rank's share of a step: of plans that are in flight together. Plain numbers, so that it can
 * be gathered. */
struct rank_traffic {
    double sent[LINK_CLASSES], received[LINK_CLASSES]; /* bytes, to and from other ranks */
    double messages[LINK_CLASSES];                     /* sent or received, whichever are more */
    double own;                                        /* bytes that stay on the rank */
    double flow; /* bytes over the network to or from one rank, whichever are most */
};

#endif
