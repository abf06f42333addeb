/* The PCI Express links above a device, and what the way between two devices can carry. Private to
 * topology/. */
#ifndef SPB_TOPOLOGY_MODEL_PCI_PATH_H
#define SPB_TOPOLOGY_MODEL_PCI_PATH_H

struct machine;
struct io_device;
struct hwloc_obj;

/* Fills device->hops: the device's own link, then that of every switch above it; the caller frees
 * them. ST_ENV when memory is short. Their speed is the maximum both ends can do, and known where
 * it can be told: on this machine from sysfs, from an NCCL topology, and from hwloc XML (which
 * holds the speed at that moment; idle links are trained down) only for a GPU whose link had, as
 * both ends say, the most that its model can do. */
enum status pci_path_find(const struct machine *machine, struct io_device *device);

/* GB/s in one direction of the slowest link between two devices whose paths meet at an object of
 * hwloc's tree; 0 if any of them is unknown. */
double pci_path_gb_s(const struct io_device *a, const struct io_device *b,
                     const struct hwloc_obj *meet);

#endif
