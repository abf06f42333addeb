/* Which ranks share a host, and whether they can share memory there. */
#ifndef SPB_COMM_RANKS_HOST_MAP_H
#define SPB_COMM_RANKS_HOST_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/ranks/group.h"

struct host_map {
    uint64_t *host_keys; /* [world size] */
    int n_hosts;
    int ranks_here; /* on this rank's host, itself included */
    bool
        connected; /* on every host each rank can open its neighbour's memory; equal on all ranks */
};

/* Whether this system lets a process share memory that has no name; why says so if not. */
bool shared_memory_works(char *why, size_t why_size);

/* host_key: equal on ranks that share a host (topology/place/place.h). Collective over the world.
 * On failure, logged and on all ranks, nothing is left to free. */
enum status host_map_create(const struct group *world, uint64_t host_key, struct host_map *out);
void host_map_free(struct host_map *map);

/* Whether shared memory alone joins the ranks: one host, connected. why says how many ranks and
 * hosts there are, or what is in the way. */
bool host_map_shares(const struct host_map *map, int ranks, char *why, size_t why_size);

#endif
