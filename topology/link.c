#include "topology/link.h"

static const char *const names[LINK_CLASSES] = {
    [LINK_SAME_CORE] = "same-core",
    [LINK_SHARED_L2] = "shared-l2",
    [LINK_SHARED_L3] = "shared-l3",
    [LINK_SAME_NUMA] = "same-numa",
    [LINK_SAME_PACKAGE] = "same-package",
    [LINK_CROSS_PACKAGE] = "cross-package",
    [LINK_NVLINK] = "nvlink",
    [LINK_XGMI] = "xgmi",
    [LINK_PCIE_SWITCH] = "pcie-switch",
    [LINK_PCIE_HOST] = "pcie-host",
    [LINK_PCIE_NODE] = "pcie-node",
    [LINK_SYSTEM] = "system",
    [LINK_NETWORK] = "network",
};

const char *link_class_name(enum link_class class) {
    return (unsigned)class < LINK_CLASSES ? names[class] : "unknown";
}
