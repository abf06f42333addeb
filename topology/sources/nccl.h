/* NCCL's topology files (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE) and RCCL's, as plain data. Private to
 * topology/.
 *
 * A file has a <system> of <cpu>s (one a NUMA node), below them <pci> devices and switches, in
 * which stand <gpu> with <nvlink> or <xgmi>, and <nic> with <net>, one for each network interface;
 * a <nic> may also stand below a <cpu>. It names no packages, cores and host bridges, and as speed
 * of a PCI link it has the maximum that both ends can do. What NCCL did not find out is left out,
 * empty, "Unknown", 0 or -1: it is unknown, and no reason to refuse the machine. */
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
    int numa;           /* OS number of its NUMA node; -1: not told */
    hwloc_bitmap_t pus; /* empty: not told */
    char model[96];     /* "GenuineIntel family 6 model 85", "" when not told */
};

struct nccl_pci {
    struct nccl_bus_id id;
    int cpu;                 /* index of the <cpu> it hangs on */
    int parent;              /* index of the switch it hangs on, -1: directly on the cpu */
    unsigned class_id;       /* 0x0302 */
    unsigned vendor, device; /* 0 when not told */
    double gb_s;             /* of its link, one direction; 0 when not told */
    bool has_gpu, has_nic;   /* by its children, whatever its class */
    char arch[16];           /* of a GPU: "sm_80", "gfx90a"; "" when not told */
    double link_mb_s;        /* of one NVLink or XGMI link of a GPU, one direction; 0 if unknown */
};

/* A network interface. */
struct nccl_net {
    int cpu, pci; /* index of what it hangs on; pci -1: directly on the cpu; both -1: not told */
    char name[64];
    double mbit_s; /* of its port, 0 when not told */
};

/* <nvlink> or <xgmi>: links of a GPU to one other GPU, or into NVSwitches. */
struct nccl_link {
    int from; /* index of the GPU */
    struct nccl_bus_id to;
    unsigned links;
    bool into_switch, xgmi;
};

/* The domain of all NVSwitches that a virtual machine hides. */
#define NCCL_HIDDEN 0xfffffffU

struct nccl_system {
    struct nccl_cpu *cpus;
    struct nccl_pci *pcis;
    struct nccl_net *nets;
    struct nccl_link *links;
    size_t n_cpus, n_pcis, n_nets, n_links;
};

/* Reads a file. ST_USAGE ("FILE:LINE: ...") when it is damaged, says what cannot be, or is of
 * several hosts. Release with nccl_free(), also after a failure. */
enum status nccl_read(struct nccl_system *system, const char *path);
void nccl_free(struct nccl_system *system);

/* The same machine as hwloc XML, a string that the caller frees: NVLinks become the matrix
 * NVLinkBandwidth and XGMI links the matrix XGMIBandwidth, and what hwloc has no word for the infos
 * below. ST_USAGE where there are too many links, ST_ENV when memory is short. */
enum status nccl_to_hwloc(const struct nccl_system *system, char **xml);

/* Infos. Speeds are 10^6 bytes/s in one direction. */
#define NCCL_INFO_NET "NCCLNet"     /* of an OS device: it is a network interface of the file */
#define NCCL_INFO_PORT "PortMBps"   /* ... and this is what its port carries */
#define NCCL_INFO_LINK "LinkMBps"   /* of a GPU: what one of its NVLinks or XGMI links carries */
#define NCCL_INFO_BUS_ID "PCIBusID" /* of a device whose PCI domain has more than 16 bits */
#define NCCL_INFO_HIDDEN "Hidden"   /* of the NVSwitch that stands for all hidden ones */
#define NCCL_INFO_MADE_UP                                                                          \
    "PUsMadeUp" /* of the machine: processors of NUMA nodes without, a list                        \
                 */

#endif
