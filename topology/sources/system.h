/* What Linux tells about this machine that hwloc does not. Private to topology/. The roots are
 * parameters so that tests can point at a copy. */
#ifndef SPB_TOPOLOGY_SOURCES_SYSTEM_H
#define SPB_TOPOLOGY_SOURCES_SYSTEM_H

/* CPUs' worth of time that the calling process' control groups grant (the least of them and their
 * parents, rounded up), 0 if unlimited or unknown. sysfs: "/sys/fs/cgroup"; self:
 * "/proc/self/cgroup". cgroup v2: cpu.max; v1: cpu.cfs_quota_us (Linux, admin-guide/cgroup-v2). */
int system_cpu_quota(const char *sysfs, const char *self);

/* What the port of a NIC of that name carries in one direction, GB/s, 0 if unknown: the rate of an
 * RDMA device's first port, or the speed of a network interface. sysfs: "/sys/class". */
double system_nic_gb_s(const char *sysfs, const char *name);

/* The most that the PCI Express port of a device can carry in one direction, GB/s: its maximum
 * speed and width, not those of the moment. 0 if unknown. sysfs: "/sys/bus/pci/devices"; id:
 * "0000:17:00.0". */
double system_pcie_gb_s(const char *sysfs, const char *id);

#endif
