#include "topology/model/describe.h"

#include <hwloc.h>
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

static const struct vendor {
    unsigned short id;
    const char *name;
} gpu_vendors[] = {{0x10de, "nvidia"}, {0x1002, "amd"}, {0x8086, "intel"}, {0x1d94, "hygon"}};

/* NICs of 1 Gbit/s for files without names: I350, I210, I211, 82574L, 82576, 82580; BCM5709, 5716
 * to 5721, 5762; RTL8111 (the PCI ID Repository). */
static const struct {
    unsigned short vendor, device;
} gigabit_nics[] = {
    {0x8086, 0x1521}, {0x8086, 0x1522}, {0x8086, 0x1523}, {0x8086, 0x1524}, {0x8086, 0x1533},
    {0x8086, 0x1536}, {0x8086, 0x1537}, {0x8086, 0x1538}, {0x8086, 0x1539}, {0x8086, 0x10d3},
    {0x8086, 0x10c9}, {0x8086, 0x150e}, {0x14e4, 0x1639}, {0x14e4, 0x163b}, {0x14e4, 0x1655},
    {0x14e4, 0x1656}, {0x14e4, 0x1657}, {0x14e4, 0x1659}, {0x14e4, 0x165f}, {0x14e4, 0x1665},
    {0x14e4, 0x1687}, {0x10ec, 0x8168},
};

const char *describe_told_model(const struct hwloc_obj *pci) {
    for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
        const char *model = hwloc_obj_get_info_by_name(child, "GPUModel");
        if (model)
            return model;
    }
    return NULL;
}

bool describe_is_net(const struct hwloc_obj *obj) {
    return obj->type == HWLOC_OBJ_OS_DEVICE &&
           hwloc_obj_get_info_by_name((hwloc_obj_t)obj, NCCL_INFO_NET);
}

static void name_gpu(struct io_device *gpu, int index) {
    const struct hwloc_pcidev_attr_s *attr = &gpu->obj->attr->pcidev;
    snprintf(gpu->name, sizeof gpu->name, "gpu%d", index);
    const char *model = describe_told_model(gpu->obj);
    if (model)
        text_copy(gpu->model, sizeof gpu->model, model);
    for (size_t i = 0; i < sizeof gpu_vendors / sizeof *gpu_vendors; i++)
        if (gpu_vendors[i].id == attr->vendor_id)
            text_copy(gpu->vendor, sizeof gpu->vendor, gpu_vendors[i].name);
}

static void name_nic(struct io_device *nic, int index) {
    if (!nic->os)
        nic->os = walk_os_device(nic->obj, HWLOC_OBJ_OSDEV_OPENFABRICS);
    if (!nic->os)
        nic->os = walk_os_device(nic->obj, HWLOC_OBJ_OSDEV_NETWORK);
    if (nic->os && nic->os->name)
        text_copy(nic->name, sizeof nic->name, nic->os->name);
    else
        snprintf(nic->name, sizeof nic->name, "nic%d", index);
}

/* As the PCI database says, else the numbers of the device. */
static void name_from_database(struct io_device *device) {
    const struct hwloc_pcidev_attr_s *attr = &device->obj->attr->pcidev;
    const char *vendor = hwloc_obj_get_info_by_name(device->obj, "PCIVendor");
    const char *model = hwloc_obj_get_info_by_name(device->obj, "PCIDevice");
    const struct gpu_model *known = gpu_model_find(attr->vendor_id, attr->device_id);
    if (!model && known)
        model = known->name;
    text_copy(device->vendor, sizeof device->vendor, vendor);
    text_copy(device->model, sizeof device->model, model);
    if (!vendor)
        snprintf(device->vendor, sizeof device->vendor, "%04x", attr->vendor_id);
    if (!model)
        snprintf(device->model, sizeof device->model, "%04x:%04x", attr->vendor_id,
                 attr->device_id);
    /* As in some NCCL topologies. */
    if (attr->vendor_id == 0)
        text_copy(device->vendor, sizeof device->vendor, "unknown");
    if (attr->device_id == 0)
        text_copy(device->model, sizeof device->model, "unknown");
}

static void name_address(struct io_device *device) {
    const struct hwloc_pcidev_attr_s *attr = &device->obj->attr->pcidev;
    const char *told = hwloc_obj_get_info_by_name(device->obj, NCCL_INFO_BUS_ID);
    if (told)
        text_copy(device->pci, sizeof device->pci, told);
    else
        snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.%01x", attr->domain, attr->bus,
                 attr->dev, attr->func);
}

static int numa_of(hwloc_topology_t topo, hwloc_obj_t obj) {
    const hwloc_obj_t local = hwloc_get_non_io_ancestor_obj(topo, obj);
    return hwloc_bitmap_weight(local->nodeset) == 1 ? hwloc_bitmap_first(local->nodeset) : -1;
}

/* Of files only NCCL topologies tell it. */
static double port_gb_s(const struct machine *machine, const struct io_device *nic) {
    const char *told = nic->os ? hwloc_obj_get_info_by_name(nic->os, NCCL_INFO_PORT) : NULL;
    if (machine->native)
        return system_nic_gb_s("/sys/class", nic->name);
    return told ? strtod(told, NULL) / 1000 : 0;
}

bool describe_is_gigabit(const char *model) {
    const char *word = strstr(model, "Gigabit"), *number = word;
    if (!word)
        return strstr(model, " 1GbE") || strstr(model, " 1000BASE");
    /* "10 Gigabit", "10-Gigabit", "1/10 Gigabit", "2.5 Gigabit"; but "82576 Gigabit", "DM-2
     * Gigabit" */
    if (number > model && strchr(" -", number[-1]))
        number--;
    while (number > model && strchr("0123456789.", number[-1]))
        number--;
    const double times = strtod(number, NULL);
    const bool apart = number == model || strchr(" /", number[-1]);
    return !(apart && times > 1 && times < 1000);
}

static bool is_management(const struct io_device *nic) {
    const struct hwloc_pcidev_attr_s *attr = &nic->obj->attr->pcidev;
    if (nic->peak_gb_s > 0)
        return nic->peak_gb_s <= 0.125;
    if (strncmp(nic->name, "usb", 3) == 0 || describe_is_gigabit(nic->model))
        return true;
    for (size_t i = 0; i < sizeof gigabit_nics / sizeof *gigabit_nics; i++)
        if (nic->obj->type == HWLOC_OBJ_PCI_DEVICE && gigabit_nics[i].vendor == attr->vendor_id &&
            gigabit_nics[i].device == attr->device_id)
            return true;
    return false;
}

enum status device_describe(const struct machine *machine, struct io_device *device, int index) {
    device->numa = numa_of(machine->topo, device->obj);
    if (device->obj->type == HWLOC_OBJ_PCI_DEVICE) {
        name_address(device);
        name_from_database(device);
    }
    (device->kind == DEVICE_GPU ? name_gpu : name_nic)(device, index);
    if (device->kind == DEVICE_NIC) {
        device->peak_gb_s = port_gb_s(machine, device);
        device->management = is_management(device);
    }
    return pci_path_find(machine, device);
}
