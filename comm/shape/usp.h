/* USP: sp_size = ulysses_size x ring_size. Ranks that exchange heads form Ulysses groups, ranks
 * that pass K/V on form rings (Fang and Zhao, "USP: A Unified Sequence Parallelism Approach for
 * Long Context Generative AI", 2024). Either kind of group can be the one of neighbours. */
#ifndef SPB_COMM_SHAPE_USP_H
#define SPB_COMM_SHAPE_USP_H

#include "comm/shape/hosts.h"

enum usp_inner {
    USP_INNER_ULYSSES, /* sp_rank = ring_rank * ulysses_size + ulysses_rank */
    USP_INNER_RING     /* sp_rank = ulysses_rank * ring_size + ring_rank */
};

/* "ulysses", "ring". */
const char *usp_inner_name(enum usp_inner inner);

/* The largest divisor of sp_size that divides kv_heads: no replicas, and the shortest ring. */
int usp_default_ulysses_size(int sp_size, int kv_heads);

/* A rank's place in both kinds of groups, and the rank at a place. */
void usp_coordinates(enum usp_inner inner, int ulysses_size, int ring_size, int sp_rank,
                     int *ulysses_rank, int *ring_rank);
int usp_rank(enum usp_inner inner, int ulysses_size, int ring_size, int ulysses_rank,
             int ring_rank);

/* Where the ranks of a Ulysses group are, of those of all sp ranks. */
struct hosts usp_ulysses_hosts(struct hosts sp, enum usp_inner inner, int ulysses_size,
                               int ring_size, int ring_rank);

#endif
