#include "topology/model/pci_path.h"

#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/model/walk.h"
#include "topology/pcie.h"
#include "topology/sources/system.h"

static double least(double a, double b) {
    return a < b ? a : b;
}

static double from_sysfs(hwloc_obj_t obj) {
    const struct hwloc_pcidev_attr_s *attr = &obj->attr->pcidev;
    char id[32];
    snprintf(id, sizeof id, "%04x:%02x:%02x.%01x", attr->domain, attr->bus, attr->dev, attr->func);
    return system_pcie_gb_s("/sys/bus/pci/devices", id);
}

/* Whether the port above says the same of the link as the device. Boards that wire fewer lanes than
 * the device has (V100 modules beside POWER9 have two) are only seen at the port. */
static bool ends_agree(hwloc_obj_t obj) {
    const double mine = (double)obj->attr->pcidev.linkspeed;
    return !walk_is_pci_bridge(obj->parent) ||
           fabs((double)obj->parent->attr->pcidev.linkspeed - mine) < 0.01 * mine;
}

/* The link above obj. In an export only its speed at that moment stands. */
static double link_gb_s(const struct machine *machine, hwloc_obj_t obj) {
    if (obj->type == HWLOC_OBJ_OS_DEVICE)
        return 0;
    const struct hwloc_pcidev_attr_s *attr = &obj->attr->pcidev;
    if (machine->native) {
        const double mine = from_sysfs(obj);
        return walk_is_pci_bridge(obj->parent) ? least(mine, from_sysfs(obj->parent)) : mine;
    }
    if (strcmp(machine->source, "nccl-xml") == 0)
        return (double)attr->linkspeed;
    const struct gpu_model *model = gpu_model_find(attr->vendor_id, attr->device_id);
    const double most = model ? pcie_gb_s(model->gt_s, model->width) : 0;
    return (double)attr->linkspeed > 0.99 * most && ends_agree(obj) ? most : 0;
}

/* The link next above: above a link is a port, and above a switch's port the switch's own link. */
static hwloc_obj_t next_link(hwloc_obj_t obj) {
    return walk_is_pci_bridge(obj->parent) && walk_is_pci_bridge(obj->parent->parent)
               ? obj->parent->parent
               : NULL;
}

enum status pci_path_find(const struct machine *machine, struct io_device *device) {
    size_t n = 0;
    for (hwloc_obj_t obj = device->obj; obj; obj = next_link(obj))
        n++;
    device->hops = malloc(n * sizeof *device->hops);
    if (!device->hops)
        return fail(ST_ENV, "out of memory for the PCI path of %s", device->name);
    for (hwloc_obj_t obj = device->obj; obj; obj = next_link(obj))
        device->hops[device->n_hops++] = (struct pci_hop){obj, link_gb_s(machine, obj)};
    return ST_OK;
}

static bool is_below(hwloc_obj_t obj, const struct hwloc_obj *above) {
    for (obj = obj->parent; obj; obj = obj->parent)
        if (obj == above)
            return true;
    return false;
}

static double up_to(const struct io_device *device, const struct hwloc_obj *meet) {
    double gb_s = device->hops[0].gb_s;
    for (int i = 1; i < device->n_hops && is_below(device->hops[i].obj, meet); i++)
        gb_s = least(gb_s, device->hops[i].gb_s);
    return gb_s;
}

double pci_path_gb_s(const struct io_device *a, const struct io_device *b,
                     const struct hwloc_obj *meet) {
    return least(up_to(a, meet), up_to(b, meet));
}
