/* Which links the groups of a process grid use, and whether another placement uses nearer ones.
 *
 * Pure functions of where ranks sit. A grid has sp_size x dp_shard_size ranks; with SP ranks inner,
 * rank = dp * sp_size + sp, else rank = sp * dp_shard_size + dp (comm/ranks/grid.h). */
#ifndef SPB_TOPOLOGY_PLACE_PLACEMENT_H
#define SPB_TOPOLOGY_PLACE_PLACEMENT_H

#include <stdbool.h>

#include "topology/link.h"
#include "topology/place/place.h"

struct placement_shape {
    int sp_size, dp_shard_size;
    bool sp_outer;
    int ulysses_size; /* of Ulysses groups inside an SP group; 0: it has none (ring, ...) */
    bool ring_inner;  /* the ranks of a ring are neighbours, not those of a Ulysses group */
};

/* The nearest and the farthest link between two ranks of any one group. */
struct link_span {
    enum link_class best, worst; /* both LINK_CLASSES where groups have one rank */
};

/* Of the SP groups, and of the data-parallel groups (the ranks of one sp index). places has
 * sp_size * dp_shard_size elements. */
struct link_span placement_sp_links(const struct place *places,
                                    const struct placement_shape *shape);
struct link_span placement_dp_links(const struct place *places,
                                    const struct placement_shape *shape);

/* How many hosts, packages, NUMA nodes, L3 or L2 caches (whichever the worst link of the SP groups
 * leaves) the widest SP group touches; what they are called goes to *unit, in the singular. 1 and
 * "core" where all share one. */
int placement_straddles(const struct place *places, const struct placement_shape *shape,
                        const char **unit);

/* Another way to lay out a shape. */
struct placement_advice {
    struct placement_shape better; /* equal but for the placement, or but for its Ulysses groups */
    enum link_class from, to;      /* the farthest link of what moves nearer, before and after */
    char text[320];
};

/* What would keep SP traffic on nearer links: the other placement; or, where that does not help,
 * Ulysses groups that meet nearer than those of the shape do, the largest there are (usp), if they
 * now leave an L3 cache's neighbourhood: at least same-package. Ranks that share a core count as
 * neighbours on cores of their own would: nothing is nearer by taking turns. A shape without
 * Ulysses groups is only given a placement. False, and text "", if nothing would. */
bool placement_advise(const struct place *places, const struct placement_shape *shape,
                      struct placement_advice *out);

#endif
