#include "topology/model/devices.h"

#include <hwloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "topology/model/describe.h"
#include "topology/model/machine.h"
#include "topology/model/walk.h"
#include "topology/sources/nccl.h"

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

/* Whether a display adapter only drives a console: known makers, a PCI Express link of one lane, or
 * conventional PCI, be it behind a bridge whose own link is one lane wide. hwloc's link speed is 0
 * for conventional PCI and where it could not be read; links_known says that others were read. */
static bool drives_console(hwloc_obj_t pci, bool links_known) {
    const float one_lane = 0.99F; /* GB/s, third generation: consoles are not newer */
    const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
    if (attr->class_id != 0x0300 && attr->class_id != 0x0380)
        return false;
    if (describe_told_model(pci) || walk_os_device(pci, HWLOC_OBJ_OSDEV_COPROC))
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

/* What is no PCI device comes last. */
static uint64_t address_of(const struct io_device *device) {
    const struct hwloc_pcidev_attr_s *at = &device->obj->attr->pcidev;
    if (device->obj->type != HWLOC_OBJ_PCI_DEVICE)
        return UINT64_MAX;
    const char *told = hwloc_obj_get_info_by_name(device->obj, NCCL_INFO_BUS_ID);
    const uint64_t domain = told ? strtoul(told, NULL, 16) : at->domain;
    return domain << 24 | (unsigned)at->bus << 16 | (unsigned)at->dev << 8 | at->func;
}

/* In PCI order, and interfaces of one device in that of hwloc. */
static int by_address(const void *left, const void *right) {
    const struct io_device *a = left, *b = right;
    const uint64_t ka = address_of(a), kb = address_of(b);
    const uint64_t ia = a->os ? a->os->gp_index : 0, ib = b->os ? b->os->gp_index : 0;
    return ka != kb ? (ka > kb) - (ka < kb) : (ia > ib) - (ia < ib);
}

static bool any_link_known(hwloc_topology_t topo) {
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(topo, pci)))
        if (pci->attr->pcidev.linkspeed > 0)
            return true;
    return false;
}

/* The interfaces that an NCCL topology lists below a device; 0: it has none. */
static int listed_nets(hwloc_obj_t pci) {
    int n = 0;
    for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
        n += describe_is_net(child);
    return n;
}

static void add_pci_devices(struct machine *machine) {
    const bool links_known = any_link_known(machine->topo);
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(machine->topo, pci))) {
        const struct pci_class *class = class_of(pci);
        if (!class || drives_console(pci, links_known))
            continue;
        const struct io_device device = {
            .kind = class->kind, .nic_kind = class->nic_kind, .obj = pci, .os = NULL};
        if (class->kind == DEVICE_GPU)
            machine->gpus[machine->n_gpus++] = device;
        else if (listed_nets(pci) == 0)
            machine->nics[machine->n_nics++] = device;
    }
}

static void add_nets(struct machine *machine) {
    hwloc_obj_t os = NULL;
    while ((os = hwloc_get_next_osdev(machine->topo, os))) {
        if (!describe_is_net(os))
            continue;
        const bool pci = os->parent->type == HWLOC_OBJ_PCI_DEVICE;
        const struct pci_class *class = pci ? class_of(os->parent) : NULL;
        machine->nics[machine->n_nics++] =
            (struct io_device){.kind = DEVICE_NIC,
                               .nic_kind = class && class->nic_kind ? class->nic_kind : "ethernet",
                               .obj = pci ? os->parent : os,
                               .os = os};
    }
}

enum status devices_find(struct machine *machine) {
    const int pcis = hwloc_get_nbobjs_by_type(machine->topo, HWLOC_OBJ_PCI_DEVICE);
    const int others = hwloc_get_nbobjs_by_type(machine->topo, HWLOC_OBJ_OS_DEVICE);
    const size_t most = (size_t)(pcis > 0 ? pcis : 0) + (size_t)(others > 0 ? others : 0);
    machine->gpus = calloc(most + 1, sizeof *machine->gpus);
    machine->nics = calloc(most + 1, sizeof *machine->nics);
    if (!machine->gpus || !machine->nics)
        return fail(ST_ENV, "out of memory for %zu devices", most);
    add_pci_devices(machine);
    add_nets(machine);
    qsort(machine->gpus, (size_t)machine->n_gpus, sizeof *machine->gpus, by_address);
    qsort(machine->nics, (size_t)machine->n_nics, sizeof *machine->nics, by_address);
    enum status st = ST_OK;
    for (int i = 0; i < machine->n_gpus && !st; i++)
        st = device_describe(machine, &machine->gpus[i], i);
    for (int i = 0; i < machine->n_nics && !st; i++)
        st = device_describe(machine, &machine->nics[i], i);
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
