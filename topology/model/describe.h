/* What a device is called and can do. Private to topology/. */
#ifndef SPB_TOPOLOGY_MODEL_DESCRIBE_H
#define SPB_TOPOLOGY_MODEL_DESCRIBE_H

#include <stdbool.h>

#include "base/status.h"

struct hwloc_obj;
struct io_device;
struct machine;

/* Fills in a device of which kind, nic_kind, obj and os are known; index: among those of its kind.
 * ST_ENV when memory is short. */
enum status device_describe(const struct machine *machine, struct io_device *device, int index);

/* The model that OS devices below a GPU name: only compute runtimes and vendors' libraries do. NULL
 * if none does. */
const char *describe_told_model(const struct hwloc_obj *pci);

/* Whether an object is a network interface that an NCCL topology lists. */
bool describe_is_net(const struct hwloc_obj *obj);

/* Whether a NIC of that name in the PCI database does 1 Gbit/s at most: "I350 Gigabit Network
 * Connection", and not "82599 10 Gigabit". */
bool describe_is_gigabit(const char *model);

#endif
