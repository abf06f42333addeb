/* GPUs and network adapters, and the path between any two of them.
 *
 * They are found as PCI devices by class, so that a machine file without drivers' OS devices shows
 * them too. A display adapter that only drives a server's console is not a GPU. An NCCL topology
 * also lists network interfaces: each is a NIC, be it one of several of a PCI device, or of none.
 */
#ifndef SPB_TOPOLOGY_MODEL_DEVICES_H
#define SPB_TOPOLOGY_MODEL_DEVICES_H

#include <stdbool.h>

#include "base/status.h"
#include "topology/link.h"

struct hwloc_obj;
struct machine;

enum device_kind { DEVICE_GPU, DEVICE_NIC };

/* One PCI Express link on the way to the host. */
struct pci_hop {
    struct hwloc_obj *obj; /* device or switch below the link */
    double gb_s;           /* the most it can carry in one direction, 0 when unknown */
};

struct io_device {
    enum device_kind kind;
    char name[64];   /* "gpu0" in PCI order; a NIC's RDMA name, else its interface, else "nic0" */
    char pci[24];    /* "0000:34:00.0"; "" if it is no PCI device */
    char vendor[64]; /* "nvidia", "amd", "intel", ..., else as the PCI database says */
    char model[96];  /* as the driver or the PCI database names it, else "10de:1db8" */
    const char *nic_kind;  /* "ethernet", "infiniband", "fabric"; NULL for a GPU */
    int numa;              /* OS number of the NUMA node it hangs on, -1 if none or several */
    double peak_gb_s;      /* of a NIC's port, one direction; 0 when unknown, as in most files */
    bool management;       /* a NIC of 1 Gbit/s at most, or a USB one: no way for a GPU's data */
    struct hwloc_obj *obj; /* its place: the PCI device, or an OS device that is none */
    struct hwloc_obj *os;  /* of a NIC: the OS device that names it, NULL if none does */
    struct pci_hop *hops;  /* its own PCI link, then those of the switches above */
    int n_hops;
};

/* How two devices of one machine reach each other. */
struct device_link {
    enum link_class class;
    char smi[8];      /* nvidia-smi's word: NV6, PIX, PXB, PHB, NODE, SYS; and XGMI */
    double peak_gb_s; /* one direction; 0 when unknown */
    int distance;     /* grows with the path; orders links, PIX before PXB, a package before SYS */
};

/* The link of two different devices: NVLink or XGMI (see fabric.h), else the way through PCI. The
 * peak of that is its slowest link's; across NUMA nodes there is none, since nothing tells what
 * joins them. */
struct device_link device_link(const struct machine *machine, const struct io_device *a,
                               const struct io_device *b);

/* Whether no NIC of the machine has a shorter path to gpu than nic has; NICs for management are not
 * looked at, and never nearest. */
bool device_nic_is_nearest(const struct machine *machine, const struct io_device *gpu,
                           const struct io_device *nic);

/* Fills machine->gpus and machine->nics, each in PCI order. ST_ENV when memory is short. */
enum status devices_find(struct machine *machine);
void devices_free(struct machine *machine);

#endif
