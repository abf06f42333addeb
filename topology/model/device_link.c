/* Links between devices: NVLink or XGMI, else the path through the PCI tree. */
#include <hwloc.h>
#include <stdio.h>

#include "topology/model/devices.h"
#include "topology/model/fabric.h"
#include "topology/model/pci_path.h"
#include "topology/model/walk.h"

/* From near to far, in nvidia-smi's words (its manual, "topo -m"). */
enum path { PATH_PIX, PATH_PXB, PATH_PHB, PATH_NODE, PATH_PACKAGE, PATH_SYS };

static const struct {
    enum link_class class;
    const char *smi;
} paths[] = {
    [PATH_PIX] = {LINK_PCIE_SWITCH, "PIX"}, /* one switch at most */
    [PATH_PXB] = {LINK_PCIE_SWITCH, "PXB"}, /* several, but no host bridge */
    [PATH_PHB] = {LINK_PCIE_HOST, "PHB"},   /* one host bridge */
    [PATH_NODE] = {LINK_PCIE_NODE, "NODE"}, /* two host bridges of a NUMA node */
    [PATH_PACKAGE] = {LINK_SYSTEM, "SYS"},  /* between NUMA nodes of a package */
    [PATH_SYS] = {LINK_SYSTEM, "SYS"},      /* between packages */
};

static int bridges_between(hwloc_obj_t device, hwloc_obj_t ancestor) {
    int n = 0;
    for (hwloc_obj_t obj = device->parent; obj != ancestor; obj = obj->parent)
        n++;
    return n;
}

static hwloc_obj_t package_of(hwloc_obj_t obj) {
    while (obj && obj->type != HWLOC_OBJ_PACKAGE)
        obj = obj->parent;
    return obj;
}

/* A switch is an upstream bridge with downstream bridges below it. Two devices on one switch so
 * meet at its upstream bridge, each one bridge below. */
static enum path pci_path(const struct machine *machine, const struct io_device *a,
                          const struct io_device *b, hwloc_obj_t meet) {
    if (meet->type == HWLOC_OBJ_PCI_DEVICE)
        return PATH_PIX; /* two ports of one adapter */
    if (meet->type == HWLOC_OBJ_BRIDGE && meet->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST)
        return PATH_PHB;
    if (meet->type == HWLOC_OBJ_BRIDGE)
        return bridges_between(a->obj, meet) <= 1 && bridges_between(b->obj, meet) <= 1 ? PATH_PIX
                                                                                        : PATH_PXB;
    if (a->numa >= 0 && a->numa == b->numa)
        return PATH_NODE;
    /* With several NUMA nodes to a package, firmware may only tell the package. Devices whose place
     * is not told at all hang on the machine, and are taken to be far apart. */
    const hwloc_obj_t near_a = hwloc_get_non_io_ancestor_obj(machine->topo, a->obj);
    const hwloc_obj_t near_b = hwloc_get_non_io_ancestor_obj(machine->topo, b->obj);
    if (near_a == near_b && near_a->parent)
        return PATH_NODE;
    const hwloc_obj_t package = package_of(near_a);
    return package && package == package_of(near_b) ? PATH_PACKAGE : PATH_SYS;
}

struct device_link device_link(const struct machine *machine, const struct io_device *a,
                               const struct io_device *b) {
    struct device_link link;
    if (a->kind == DEVICE_GPU && b->kind == DEVICE_GPU) {
        const long row = a - machine->gpus, col = b - machine->gpus;
        const struct fabric_link *fabric = &machine->fabric[row * machine->n_gpus + col];
        link = (struct device_link){.class = fabric->class, .peak_gb_s = fabric->gb_s};
        if (fabric->class == LINK_XGMI)
            snprintf(link.smi, sizeof link.smi, "XGMI");
        else
            snprintf(link.smi, sizeof link.smi, "NV%d", fabric->links % 1000);
        if (fabric->links > 0)
            return link;
    }
    const hwloc_obj_t meet = walk_common_ancestor(a->obj, b->obj);
    const enum path path = pci_path(machine, a, b, meet);
    link = (struct device_link){.class = paths[path].class, .distance = 1 + (int)path};
    if (path < PATH_PACKAGE)
        link.peak_gb_s = pci_path_gb_s(a, b, meet);
    snprintf(link.smi, sizeof link.smi, "%s", paths[path].smi);
    return link;
}

bool device_nic_is_nearest(const struct machine *machine, const struct io_device *gpu,
                           const struct io_device *nic) {
    const int distance = device_link(machine, gpu, nic).distance;
    for (int i = 0; i < machine->n_nics; i++) {
        const struct io_device *other = &machine->nics[i];
        if (!other->management && device_link(machine, gpu, other).distance < distance)
            return false;
    }
    return !nic->management;
}
