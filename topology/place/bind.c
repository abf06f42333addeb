#include "topology/place/bind.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/model/walk.h"
#include "topology/place/place.h"

static const char *const policy_names[BIND_POLICIES] = {
    [BIND_CORE] = "core",
    [BIND_NUMA] = "numa",
    [BIND_NONE] = "none",
};

/* Adds allowed cores [first, end), counted in hwloc's order. */
static int add_cores(const struct machine *machine, long first, long end, hwloc_bitmap_t cpus) {
    long index = 0;
    int error = 0;
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_depth(machine->topo, walk_core_depth(machine), core))) {
        if (!hwloc_bitmap_intersects(core->cpuset, machine->allowed))
            continue;
        if (index >= first && index < end)
            error |= hwloc_bitmap_or(cpus, cpus, core->cpuset);
        index++;
    }
    return error;
}

/* Widens a share to the NUMA nodes it touches. Processors of no node stay. */
static int widen_to_numa(const struct machine *machine, hwloc_bitmap_t cpus) {
    hwloc_bitmap_t share = hwloc_bitmap_dup(cpus);
    if (!share)
        return -1;
    int error = 0;
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(machine->topo, HWLOC_OBJ_NUMANODE, node)))
        if (hwloc_bitmap_intersects(node->cpuset, share))
            error |= hwloc_bitmap_or(cpus, cpus, node->cpuset);
    hwloc_bitmap_free(share);
    return error;
}

enum status bind_share(const struct machine *machine, enum bind_policy policy, int local_rank,
                       int local_size, hwloc_bitmap_t cpus) {
    const long cores = machine->allowed_cores, rank = local_rank, size = local_size;
    const long first = rank * cores / size, next = (rank + 1) * cores / size;
    hwloc_bitmap_zero(cpus);
    int error = policy == BIND_NONE
                    ? hwloc_bitmap_copy(cpus, machine->allowed)
                    : add_cores(machine, first, next > first ? next : first + 1, cpus);
    if (!error && policy == BIND_NUMA)
        error = widen_to_numa(machine, cpus);
    if (!error)
        error = hwloc_bitmap_and(cpus, cpus, machine->allowed);
    return error ? fail(ST_ENV, "out of memory for a set of processors") : ST_OK;
}

enum status bind_rank(const struct machine *machine, enum bind_policy policy, int local_rank,
                      int local_size) {
    if (!machine->native)
        return fail(ST_USAGE, "cannot bind to %s: this process does not run there", machine->name);
    if (policy == BIND_NONE)
        return ST_OK;
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    if (!cpus)
        return fail(ST_ENV, "out of memory for a set of processors");
    enum status status = bind_share(machine, policy, local_rank, local_size, cpus);
    if (!status && hwloc_set_cpubind(machine->topo, cpus, HWLOC_CPUBIND_PROCESS))
        status = fail(ST_ENV, "cannot bind local rank %d of %d to its %s: %s; run with --bind none",
                      local_rank, local_size, policy_names[policy], strerror(errno));
    hwloc_bitmap_free(cpus);
    return status;
}

const char *bind_policy_name(enum bind_policy policy) {
    return policy_names[policy];
}

enum status bind_described(const struct machine *machine, enum bind_policy policy, int hosts,
                           int ranks, struct place *places) {
    const int local_size = ranks / hosts;
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    enum status st = cpus ? ST_OK : fail(ST_ENV, "out of memory for a set of processors");
    for (int r = 0; r < ranks && !st; r++) {
        char host[32];
        snprintf(host, sizeof host, "node%d", r / local_size);
        if (r < local_size) {
            st = bind_share(machine, policy, r, local_size, cpus);
            st = st ? st : place_at(machine, cpus, host, &places[r]);
            continue;
        }
        places[r] = places[r % local_size]; /* hosts are alike */
        text_copy(places[r].host, sizeof places[r].host, host);
        places[r].host_key = text_hash(TEXT_HASH_START, host);
    }
    hwloc_bitmap_free(cpus);
    return st;
}
