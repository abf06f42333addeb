/* Links between devices: NVLink where a matrix is known, else the path through the PCI tree. */
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "topology/devices.h"
#include "topology/walk.h"

/* From near to far, in nvidia-smi's words (its manual, "topo -m"). */
enum path { PATH_PIX, PATH_PXB, PATH_PHB, PATH_NODE, PATH_SYS };

static const struct {
    enum link_class class;
    const char *smi;
} paths[] = {
    [PATH_PIX] = {LINK_PCIE_SWITCH, "PIX"}, /* one switch at most */
    [PATH_PXB] = {LINK_PCIE_SWITCH, "PXB"}, /* several, but no host bridge */
    [PATH_PHB] = {LINK_PCIE_HOST, "PHB"},   /* one host bridge */
    [PATH_NODE] = {LINK_PCIE_NODE, "NODE"}, /* two host bridges of a NUMA node */
    [PATH_SYS] = {LINK_SYSTEM, "SYS"},      /* between NUMA nodes */
};

static int bridges_between(hwloc_obj_t device, hwloc_obj_t ancestor) {
    int n = 0;
    for (hwloc_obj_t obj = device->parent; obj != ancestor; obj = obj->parent)
        n++;
    return n;
}

/* A switch is an upstream bridge with downstream bridges below it. Two devices on one switch so
 * meet at its upstream bridge, each one bridge below. */
static enum path pci_path(const struct machine *machine, const struct pci_device *a,
                          const struct pci_device *b) {
    const hwloc_obj_t meet = walk_common_ancestor(a->pci_obj, b->pci_obj);
    if (meet->type == HWLOC_OBJ_BRIDGE && meet->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST)
        return PATH_PHB;
    if (meet->type == HWLOC_OBJ_BRIDGE)
        return bridges_between(a->pci_obj, meet) <= 1 && bridges_between(b->pci_obj, meet) <= 1
                   ? PATH_PIX
                   : PATH_PXB;
    if (a->numa >= 0 && a->numa == b->numa)
        return PATH_NODE;
    /* With several NUMA nodes to a package, firmware may only tell the package. Devices whose place
     * is not told at all hang on the machine, and are taken to be far apart. */
    const hwloc_obj_t near_a = hwloc_get_non_io_ancestor_obj(machine->topo, a->pci_obj);
    const hwloc_obj_t near_b = hwloc_get_non_io_ancestor_obj(machine->topo, b->pci_obj);
    return near_a == near_b && near_a->parent ? PATH_NODE : PATH_SYS;
}

static int row_of(const struct hwloc_distances_s *matrix, const struct pci_device *device) {
    for (unsigned i = 0; i < matrix->nbobjs; i++) {
        const hwloc_obj_t obj = matrix->objs[i];
        if (obj == device->pci_obj || obj->parent == device->pci_obj)
            return (int)i;
    }
    return -1;
}

/* All of a GPU's links into NVSwitches, MB/s. */
static uint64_t into_switches(const struct hwloc_distances_s *matrix, int row) {
    uint64_t sum = 0;
    for (unsigned j = 0; j < matrix->nbobjs; j++) {
        const hwloc_obj_t obj = matrix->objs[j];
        if (obj->subtype && strcmp(obj->subtype, "NVSwitch") == 0)
            sum += matrix->values[(unsigned)row * matrix->nbobjs + j];
    }
    return sum;
}

/* MB/s in one direction over direct links and over switches, which are non-blocking; 0 if none. */
static uint64_t nvlink_mb_s(const struct machine *machine, const struct pci_device *a,
                            const struct pci_device *b) {
    struct hwloc_distances_s *matrix = NULL;
    unsigned n = 1;
    if (hwloc_distances_get_by_name(machine->topo, "NVLinkBandwidth", &n, &matrix, 0) || n == 0)
        return 0;
    uint64_t mb_s = 0;
    const int row_a = row_of(matrix, a), row_b = row_of(matrix, b);
    if (row_a >= 0 && row_b >= 0) {
        const uint64_t sw_a = into_switches(matrix, row_a), sw_b = into_switches(matrix, row_b);
        mb_s = matrix->values[(unsigned)row_a * matrix->nbobjs + (unsigned)row_b] +
               (sw_a < sw_b ? sw_a : sw_b);
    }
    hwloc_distances_release(machine->topo, matrix);
    return mb_s;
}

/* hwloc counts a link as 20 GB/s (NVLink 1, at most four) or 25 GB/s (later ones). */
static unsigned nvlink_count(uint64_t mb_s) {
    return (unsigned)(mb_s % 25000 == 0 ? mb_s / 25000 : mb_s / 20000);
}

struct device_link device_link(const struct machine *machine, const struct pci_device *a,
                               const struct pci_device *b) {
    struct device_link link;
    const uint64_t mb_s = nvlink_mb_s(machine, a, b);
    if (mb_s) {
        link = (struct device_link){.class = LINK_NVLINK, .peak_gb_s = (double)mb_s / 1000};
        snprintf(link.smi, sizeof link.smi, "NV%u", nvlink_count(mb_s) % 1000);
        return link;
    }
    const enum path path = pci_path(machine, a, b);
    link = (struct device_link){.class = paths[path].class, .distance = 1 + (int)path};
    snprintf(link.smi, sizeof link.smi, "%s", paths[path].smi);
    return link;
}

bool device_nic_is_nearest(const struct machine *machine, const struct pci_device *gpu,
                           const struct pci_device *nic) {
    const int distance = device_link(machine, gpu, nic).distance;
    for (int i = 0; i < machine->n_nics; i++)
        if (device_link(machine, gpu, &machine->nics[i]).distance < distance)
            return false;
    return true;
}
