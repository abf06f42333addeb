/* Ways through hwloc's tree. Private to topology/. */
#ifndef SPB_TOPOLOGY_MODEL_WALK_H
#define SPB_TOPOLOGY_MODEL_WALK_H

#include <hwloc.h>

#include "topology/model/machine.h"

/* The depth of cores, or of PUs where a machine does not say what its cores are. */
static inline int walk_core_depth(const struct machine *machine) {
    return hwloc_get_type_or_below_depth(machine->topo, HWLOC_OBJ_CORE);
}

static inline bool walk_is_pci_bridge(hwloc_obj_t obj) {
    return obj && obj->type == HWLOC_OBJ_BRIDGE &&
           obj->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

/* Whether an OS device is of a type, HWLOC_OBJ_OSDEV_...: one number in hwloc 2, bits in hwloc 3.
 */
static inline bool walk_is_os_type(hwloc_obj_t os, unsigned long type) {
#if HWLOC_API_VERSION >= 0x00030000
    return os->attr->osdev.types & type;
#else
    return os->attr->osdev.type == type;
#endif
}

/* The first OS device of that type below a PCI device; NULL if there is none. */
static inline hwloc_obj_t walk_os_device(hwloc_obj_t pci, unsigned long type) {
    for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
        if (child->type == HWLOC_OBJ_OS_DEVICE && walk_is_os_type(child, type))
            return child;
    return NULL;
}

/* The nearest object that is above both. Unlike hwloc_get_common_ancestor_obj() it is right for I/O
 * objects, whose depths are not ordered. */
static inline hwloc_obj_t walk_common_ancestor(hwloc_obj_t a, hwloc_obj_t b) {
    for (hwloc_obj_t x = a; x; x = x->parent)
        for (hwloc_obj_t y = b; y; y = y->parent)
            if (x == y)
                return x;
    return NULL;
}

#endif
