/* The CPU as a device: host memory, OpenMP threads. */
#ifndef SPB_DEVICE_CPU_CPU_H
#define SPB_DEVICE_CPU_CPU_H

#include "device/device.h"

extern const struct device_row cpu_device;

#endif
