#include "topology/model/devices.h"

#include <hwloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/model/machine.h"
#include "topology/model/pci_path.h"
#include "topology/model/walk.h"
#include "topology/pcie.h"
#include "topology/sources/nccl.h"
#include "topology/sources/system.h"

/* PCI Code and ID Assignment Specification, base classes 02, 03, 0c and 12. */
static const struct pci_class {
    unsigned short id;
    enum device_kind kind;
    const char *nic_kind;
} pci_classes[] = {
    {0x0300, DEVICE_GPU, NULL},         /* VGA: consoles too, see drives_console() */
    {0x0302, DEVICE_GPU, NULL},         /* 3D controller */
    {0x0380, DEVICE_GPU, NULL},         /* other display */
    {0x1200, DEVICE_GPU, NULL},         /* processing accelerator */
    {0x0200, DEVICE_NIC, "ethernet"},   /* virtio's network device too */
    {0x0207, DEVICE_NIC, "infiniband"}, /* as network controller */
    {0x0208, DEVICE_NIC, "fabric"},     /* Omni-Path */
    {0x0c06, DEVICE_NIC, "infiniband"}, /* as serial bus */
};

static const struct vendor {
    unsigned short id;
    const char *name;
} gpu_vendors[] = {{0x10de, "nvidia"}, {0x1002, "amd"}, {0x8086, "intel"}};

/* Makers of display adapters that only drive a console: of management controllers and of virtual
 * machines. Where their drivers' links are unknown, nothing else tells them from a GPU. */
static const unsigned short console_vendors[] = {
    0x1a03, /* ASPEED */
    0x102b, /* Matrox */
    0x126f, /* Silicon Motion */
    0x18ca, /* XGI */
    0x19e5, /* Huawei iBMC; its accelerators are class 12 */
    0x1013, /* Cirrus Logic, as QEMU emulates it */
    0x1234, /* QEMU standard VGA */
    0x1af4, /* virtio */
    0x1b36, /* QXL */
    0x15ad, /* VMware */
    0x1414, /* Hyper-V */
    0x80ee, /* VirtualBox */
    0x1d0f, /* Amazon EC2 */
};

static const struct pci_class *class_of(hwloc_obj_t pci) {
    for (size_t i = 0; i < sizeof pci_classes / sizeof *pci_classes; i++)
        if (pci_classes[i].id == pci->attr->pcidev.class_id)
            return &pci_classes[i];
    return NULL;
}

/* The OS device of that type below a PCI device. */
static hwloc_obj_t os_device(hwloc_obj_t pci, hwloc_obj_osdev_type_t type) {
    for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
        if (child->type == HWLOC_OBJ_OS_DEVICE && child->attr->osdev.type == type)
            return child;
    return NULL;
}

/* What a GPU's OS devices say: only compute runtimes and vendors' libraries name a model. */
static const char *gpu_model(hwloc_obj_t pci) {
    for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
        const char *model = hwloc_obj_get_info_by_name(child, "GPUModel");
        if (model)
            return model;
    }
    return NULL;
}

/* Whether a display adapter only drives a console: known makers, a PCI Express link of one lane, or
 * conventional PCI, be it behind a bridge whose own link is one lane wide. hwloc's link speed is 0
 * for conventional PCI and where it could not be read; links_known says that others were read. */
static bool drives_console(hwloc_obj_t pci, bool links_known) {
    const float one_lane = 0.99F; /* GB/s, third generation: consoles are not newer */
    const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
    if (attr->class_id != 0x0300 && attr->class_id != 0x0380)
        return false;
    if (gpu_model(pci) || os_device(pci, HWLOC_OBJ_OSDEV_COPROC))
        return false;
    for (size_t i = 0; i < sizeof console_vendors / sizeof *console_vendors; i++)
        if (console_vendors[i] == attr->vendor_id)
            return true;
    if (attr->linkspeed > 0)
        return attr->linkspeed <= one_lane;
    if (!walk_is_pci_bridge(pci->parent))
        return false; /* in the root complex: an integrated GPU */
    const float above = pci->parent->attr->pcidev.linkspeed;
    if (above > 0 && above <= one_lane)
        return true;
    /* A PCI Express link has one device, number 0; a conventional bus has many. */
    return attr->dev != 0 || (links_known && above == 0);
}

static void name_gpu(struct pci_device *gpu, int index) {
    const struct hwloc_pcidev_attr_s *attr = &gpu->pci_obj->attr->pcidev;
    snprintf(gpu->name, sizeof gpu->name, "gpu%d", index);
    const char *model = gpu_model(gpu->pci_obj);
    if (model)
        text_copy(gpu->model, sizeof gpu->model, model);
    for (size_t i = 0; i < sizeof gpu_vendors / sizeof *gpu_vendors; i++)
        if (gpu_vendors[i].id == attr->vendor_id)
            text_copy(gpu->vendor, sizeof gpu->vendor, gpu_vendors[i].name);
}

static void name_nic(struct pci_device *nic, int index) {
    hwloc_obj_t os = os_device(nic->pci_obj, HWLOC_OBJ_OSDEV_OPENFABRICS);
    if (!os)
        os = os_device(nic->pci_obj, HWLOC_OBJ_OSDEV_NETWORK);
    if (os && os->name)
        text_copy(nic->name, sizeof nic->name, os->name);
    else
        snprintf(nic->name, sizeof nic->name, "nic%d", index);
}

/* As the PCI database says, else the numbers of the device. */
static void name_from_database(struct pci_device *device) {
    const struct hwloc_pcidev_attr_s *attr = &device->pci_obj->attr->pcidev;
    const char *vendor = hwloc_obj_get_info_by_name(device->pci_obj, "PCIVendor");
    const char *model = hwloc_obj_get_info_by_name(device->pci_obj, "PCIDevice");
    const struct gpu_model *known = gpu_model_find(attr->vendor_id, attr->device_id);
    if (!model && known)
        model = known->name;
    text_copy(device->vendor, sizeof device->vendor, vendor);
    text_copy(device->model, sizeof device->model, model);
    if (!vendor)
        snprintf(device->vendor, sizeof device->vendor, "%04x", attr->vendor_id);
    if (attr->vendor_id == 0) { /* as in some NCCL topologies */
        text_copy(device->vendor, sizeof device->vendor, "unknown");
        text_copy(device->model, sizeof device->model, "unknown");
    } else if (!model)
        snprintf(device->model, sizeof device->model, "%04x:%04x", attr->vendor_id,
                 attr->device_id);
}

static int numa_of(hwloc_topology_t topo, hwloc_obj_t pci) {
    const hwloc_obj_t local = hwloc_get_non_io_ancestor_obj(topo, pci);
    return hwloc_bitmap_weight(local->nodeset) == 1 ? hwloc_bitmap_first(local->nodeset) : -1;
}

/* Of files only NCCL topologies tell it. */
static double port_gb_s(const struct machine *machine, const struct pci_device *nic) {
    const char *told = hwloc_obj_get_info_by_name(nic->pci_obj, NCCL_INFO_PORT);
    if (machine->native)
        return system_nic_gb_s("/sys/class", nic->name);
    return told ? strtod(told, NULL) / 1000 : 0;
}

static enum status describe(const struct machine *machine, struct pci_device *device, int index) {
    const struct hwloc_pcidev_attr_s *attr = &device->pci_obj->attr->pcidev;
    snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.%01x", attr->domain, attr->bus,
             attr->dev, attr->func);
    device->numa = numa_of(machine->topo, device->pci_obj);
    name_from_database(device);
    (device->kind == DEVICE_GPU ? name_gpu : name_nic)(device, index);
    if (device->kind == DEVICE_NIC)
        device->peak_gb_s = port_gb_s(machine, device);
    return pci_path_find(machine, device);
}

static int by_address(const void *left, const void *right) {
    const struct hwloc_pcidev_attr_s *a = &((const struct pci_device *)left)->pci_obj->attr->pcidev;
    const struct hwloc_pcidev_attr_s *b =
        &((const struct pci_device *)right)->pci_obj->attr->pcidev;
    const uint64_t ka = (uint64_t)a->domain << 24 | a->bus << 16 | a->dev << 8 | a->func;
    const uint64_t kb = (uint64_t)b->domain << 24 | b->bus << 16 | b->dev << 8 | b->func;
    return (ka > kb) - (ka < kb);
}

static bool any_link_known(hwloc_topology_t topo) {
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(topo, pci)))
        if (pci->attr->pcidev.linkspeed > 0)
            return true;
    return false;
}

enum status devices_find(struct machine *machine) {
    hwloc_topology_t topo = machine->topo;
    const int found = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PCI_DEVICE);
    const size_t most = found > 0 ? (size_t)found : 0;
    machine->gpus = calloc(most + 1, sizeof *machine->gpus);
    machine->nics = calloc(most + 1, sizeof *machine->nics);
    if (!machine->gpus || !machine->nics)
        return fail(ST_ENV, "out of memory for %zu PCI devices", most);

    const bool links_known = any_link_known(topo);
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(topo, pci))) {
        const struct pci_class *class = class_of(pci);
        if (!class || drives_console(pci, links_known))
            continue;
        struct pci_device *device = class->kind == DEVICE_GPU ? &machine->gpus[machine->n_gpus++]
                                                              : &machine->nics[machine->n_nics++];
        *device =
            (struct pci_device){.kind = class->kind, .nic_kind = class->nic_kind, .pci_obj = pci};
    }
    qsort(machine->gpus, (size_t)machine->n_gpus, sizeof *machine->gpus, by_address);
    qsort(machine->nics, (size_t)machine->n_nics, sizeof *machine->nics, by_address);
    enum status st = ST_OK;
    for (int i = 0; i < machine->n_gpus && !st; i++)
        st = describe(machine, &machine->gpus[i], i);
    for (int i = 0; i < machine->n_nics && !st; i++)
        st = describe(machine, &machine->nics[i], i);
    return st;
}

void devices_free(struct machine *machine) {
    for (int i = 0; i < machine->n_gpus; i++)
        free(machine->gpus[i].hops);
    for (int i = 0; i < machine->n_nics; i++)
        free(machine->nics[i].hops);
    free(machine->gpus);
    free(machine->nics);
}
