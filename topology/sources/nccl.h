/* NCCL's topology files (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), as plain data. Private to topology/.
 *
 * A file has a <system> of <cpu>s (one a NUMA node), below them <pci> devices and switches, in
 * which stand <gpu> with <nvlink> and <nic> with <net>. It names no packages, cores and host
 * bridges, and as speed of a PCI link it has the maximum that both ends can do. */
#ifndef SPB_TOPOLOGY_SOURCES_NCCL_H
#define SPB_TOPOLOGY_SOURCES_NCCL_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct nccl_bus_id {
    unsigned domain, bus, dev, func;
};

struct nccl_cpu {
    int numa; /* OS number of its NUMA node */
    hwloc_bitmap_t pus;
    char model[96]; /* "GenuineIntel family 6 model 85", "" when not told */
};

struct nccl_pci {
    struct nccl_bus_id id;
    int cpu;           /* index of the <cpu> it hangs on */
    int parent;        /* index of the switch it hangs on, -1: directly on the cpu */
    unsigned class_id; /* 0x0302 */
    unsigned vendor, device, subvendor, subdevice; /* 0 when not told */
    double gb_s;                                   /* of its link, one direction; 0 when not told */
    int sm;            /* CUDA compute capability (80), 0 if not told or no GPU */
    char net[64];      /* of a NIC, "" when not told */
    double net_mbit_s; /* its port, 0 when not told */
};

/* <nvlink> or, in RCCL's files, <xgmi>: links of a GPU to one peer. */
struct nccl_nvlink {
    int from; /* index of the GPU */
    struct nccl_bus_id to;
    unsigned links, to_class; /* class of the peer, 0x030200 or 0x068000 (an NVSwitch) */
    bool xgmi;
};

struct nccl_system {
    struct nccl_cpu *cpus;
    struct nccl_pci *pcis;
    struct nccl_nvlink *nvlinks;
    size_t n_cpus, n_pcis, n_nvlinks;
    size_t n_without_pci; /* network interfaces that are no PCI devices, left out */
};

/* Reads a file. ST_USAGE ("FILE:LINE: ...") when it is damaged or says what cannot be. Release with
 * nccl_free(), also after a failure. */
enum status nccl_read(struct nccl_system *system, const char *path);
void nccl_free(struct nccl_system *system);

/* The same machine as hwloc XML, a string that the caller frees: NVLinks become the matrix
 * NVLinkBandwidth and XGMI links the matrix XGMIBandwidth, a port's speed becomes the info
 * NCCL_INFO_PORT of the NIC, and what one NVLink carries NCCL_INFO_NVLINK of the GPU, both in 10^6
 * bytes/s. NULL (and a logged error) when memory is short. */
char *nccl_to_hwloc(const struct nccl_system *system);

#define NCCL_INFO_PORT "PortMBps"
#define NCCL_INFO_NVLINK "NVLinkMBps"

#endif
