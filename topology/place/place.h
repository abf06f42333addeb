/* Where a rank sits, as plain data that can be gathered over any network. */
#ifndef SPB_TOPOLOGY_PLACE_PLACE_H
#define SPB_TOPOLOGY_PLACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "topology/link.h"

struct machine;
struct hwloc_bitmap_s;

enum place_level { PLACE_CORE, PLACE_L2, PLACE_L3, PLACE_NUMA, PLACE_PACKAGE, PLACE_LEVELS };

enum { PLACE_MAX_CPUS = 4096 };

/* Fixed size, no pointers, no padding. Numbers are the operating system's, so that they mean the
 * same to ranks that see different parts of a host (a cgroup per rank renumbers hwloc's logical
 * indices). */
struct place {
    uint64_t host_key; /* of host name and boot id: equal if and only if two ranks share a host */
    uint64_t cores[PLACE_MAX_CPUS / 64]; /* cores the binding touches, each by its lowest PU */
    /* Per level the object that covers the WHOLE binding, or -1. A NUMA node is called by its OS
     * number, any other object by its lowest PU. */
    int32_t within[PLACE_LEVELS];
    int32_t pid; /* 0 on a machine that is only described */
    char host[65];
    char cpus[255]; /* the binding as a list, "0-3,8"; ends in "..." if it is too long */
};

/* Of the calling process's host: struct place's host_key. */
uint64_t place_host_key(void);

/* The calling process: its host and current binding. ST_USAGE if machine is not this one, or has
 * cores that struct place has no room for. */
enum status place_self(const struct machine *machine, struct place *place);

/* A rank bound to cpus, on a host called host_name (its key is made of the name alone): for
 * machines that are only described. ST_USAGE if cpus hold a core that struct place has no room for.
 */
enum status place_at(const struct machine *machine, const struct hwloc_bitmap_s *cpus,
                     const char *host_name, struct place *place);

/* The nearest level at which one object covers both, else cross-package on one host, else
 * network. Symmetric. */
enum link_class place_link(const struct place *a, const struct place *b);

/* The fewest ranks that one core must serve, on the host of places[of], if the scheduler spreads
 * every rank within its binding: 1 when each can have a core of its own. 4 unbound ranks on 2
 * cores: 2. Two ranks on hardware threads of one core: 2. */
int places_ranks_per_core(const struct place *places, int n, int of);

/* The lowest of the ranks that must share cores with rank `of`, itself included: those of its host
 * that may run on its cores, or on those of another such rank. `of` itself where every rank of the
 * host can have a core of its own. */
int places_crowd(const struct place *places, int n, int of);

/* How many ranks of its host have the very cores that rank `of` has, itself included, and in *index
 * which of these it is, from 0. Unbound: all ranks of the host. Where a launcher has bound each
 * rank to cores of its own: 1. Where it has bound them to a socket: those of the socket. */
int places_sharing(const struct place *places, int n, int of, int *index);

#endif
