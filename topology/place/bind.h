/* Pinning: which part of a host a rank gets.
 *
 * The cores of the cpuset that the process inherited are shared out in hwloc's order, in which
 * neighbours are near. With as many cores as ranks or more, rank r gets cores
 * [r*cores/ranks, (r+1)*cores/ranks): disjoint, contiguous, sizes that differ by one at most. With
 * more ranks than cores, rank r gets core r*cores/ranks: in blocks and not round robin, since
 * sequence-parallel neighbours have neighbouring ranks, and so meet in the nearest cache. */
#ifndef SPB_TOPOLOGY_PLACE_BIND_H
#define SPB_TOPOLOGY_PLACE_BIND_H

#include "base/status.h"

struct machine;
struct hwloc_bitmap_s;
struct place;

enum bind_policy {
    BIND_CORE, /* the rank's own share of cores */
    BIND_NUMA, /* the NUMA nodes that this share touches */
    BIND_NONE, /* everything inherited */
    BIND_POLICIES
};

/* Sets cpus to what rank 0 <= local_rank < local_size gets of those that share what this process
 * may use. Pure: touches no process. ST_ENV when memory is short. */
enum status bind_share(const struct machine *machine, enum bind_policy policy, int local_rank,
                       int local_size, struct hwloc_bitmap_s *cpus);

/* Pins the calling process: its threads, and those it will create. The
 * local_size ranks have inherited the same cores (places_sharing()): a launcher's binding stays,
 * and is shared out only among those that it put together. ST_USAGE if machine is not this one,
 * ST_ENV if the system refuses. */
enum status bind_rank(const struct machine *machine, enum bind_policy policy, int local_rank,
                      int local_size);

/* Seats ranks on a machine that is only described, or on several that are alike: rank r sits on
 * host r / (ranks / hosts), bound as bind_rank() would bind it there. hosts divides ranks. Fills
 * places[ranks]; hosts are called node0, node1, ... ST_ENV when memory is short,
 * ST_USAGE where place_at() refuses. */
enum status bind_described(const struct machine *machine, enum bind_policy policy, int hosts,
                           int ranks, struct place *places);

/* "core", "numa", "none". */
const char *bind_policy_name(enum bind_policy policy);

#endif
