/* What joins two ranks or two devices, from near to far. */
#ifndef SPB_TOPOLOGY_LINK_H
#define SPB_TOPOLOGY_LINK_H

enum link_class {
    LINK_SAME_CORE,
    LINK_SHARED_L2,
    LINK_SHARED_L3,
    LINK_SAME_NUMA,
    LINK_SAME_PACKAGE,
    LINK_CROSS_PACKAGE,
    LINK_NVLINK,
    LINK_XGMI,        /* between AMD GPUs */
    LINK_PCIE_SWITCH, /* PIX, PXB */
    LINK_PCIE_HOST,   /* PHB */
    LINK_PCIE_NODE,   /* NODE */
    LINK_SYSTEM,      /* SYS */
    LINK_NETWORK,
    LINK_CLASSES
};

/* "same-core", ..., "network": the words of records. "unknown" outside the range. */
const char *link_class_name(enum link_class class);

#endif
