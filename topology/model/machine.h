/* A machine as hwloc sees it: this one, one from a file, or a synthetic one.
 *
 * topology/ owns everything about where things sit: the machine and its devices (machine.h,
 * devices.h), where a rank sits (place.h), pinning (bind.h), and how it is shown (print.h). It
 * knows nothing of MPI: comm/ gathers the ranks' places. */
#ifndef SPB_TOPOLOGY_MODEL_MACHINE_H
#define SPB_TOPOLOGY_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "topology/model/devices.h"

struct hwloc_topology;
struct hwloc_bitmap_s;

/* Data and unified caches that are alike. */
struct machine_cache {
    int level;
    uint64_t bytes; /* of one */
    int count;
    int cores, pus; /* that share one */
};

/* Read-only after machine_load(). */
struct machine {
    struct hwloc_topology *topo;
    struct hwloc_bitmap_s *allowed; /* PUs this process could use when the machine was loaded; of
                                     * one from a file, those it says */
    const char *source;             /* "hwloc", "hwloc-xml", "nccl-xml", "synthetic" */
    bool native;                    /* this very machine, so that binding means something */
    char name[256];                 /* product and processors, or the synthetic description */
    char cpu[128];                  /* processor model, "" when unknown */
    int packages, numa_nodes, cores, pus; /* packages: 0 when unknown */
    bool cores_known;                     /* else every hardware thread counts as a core */
    bool pus_known;                       /* else some NUMA nodes tell none, and have a stand-in */
    int allowed_cores;                    /* cores of which at least one PU is allowed */
    int unseen_pus;                       /* offline, or left out of a file as not allowed */
    int unseen_cores;                     /* ... and their cores; 0 where that cannot be told */
    int cpu_quota; /* CPUs' worth of time the control group grants, 0 if unlimited */
    uint64_t memory_bytes;
    struct machine_cache *caches;
    int n_caches;
    struct io_device *gpus, *nics;
    int n_gpus, n_nics;
    int n_nvswitches;
    struct fabric_link *fabric; /* [n_gpus * n_gpus], see fabric.h */
    char note[320];             /* what the source cannot tell, "" if nothing is amiss */
};

/* Loads a machine from a source: "hwloc" (input is ignored), "hwloc-xml" or "nccl-xml" (a file
 * name), or "synthetic" (a hwloc description such as "package:2 l3:1 core:4 pu:2"); "file" is
 * either of the two that take one, whichever it is. ST_USAGE for an unknown source, a file that is
 * missing, damaged or of a format this hwloc cannot read, or a bad description; ST_ENV when this
 * machine cannot be examined. Release with machine_free(), which is also right after a failure. */
enum status machine_load(struct machine *machine, const char *source, const char *input);
void machine_free(struct machine *machine);

/* Threads that each of ranks processes should run when they share the allowed cores: at least 1.
 * Pass 1 if a launcher gave every rank cores of its own. */
int machine_threads(const struct machine *machine, int ranks);

/* Bytes of last-level cache, all of them together; 32 MiB where nothing is known of caches. */
size_t machine_cache_bytes(const struct machine *machine);

/* Writes hwloc XML that "hwloc-xml" and lstopo read again. ST_ENV when the file cannot be written.
 */
enum status machine_topology_xml(const struct machine *machine, const char *path);

/* "2p2n16c32t-0f1e2d3c4b5a6978": shape, and a hash of it with caches, processor model and GPU
 * models. The same on every boot of machines of one kind; memory size and NICs are left out. */
void machine_fingerprint(const struct machine *machine, char *buf, size_t n);

#endif
