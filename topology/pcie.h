/* What PCI Express links and GPUs' own links can carry. Private to topology/. */
#ifndef SPB_TOPOLOGY_PCIE_H
#define SPB_TOPOLOGY_PCIE_H

/* GB/s in one direction of width lanes at gt_s gigatransfers/s, after line coding: 8b/10b up to
 * 5 GT/s, 128b/130b up to 32, and the 242 of 256 bytes of a FLIT that are not CRC and FEC at 64
 * (PCI Express Base Specification 6.0, 4.2). Packet headers are not taken off. 0 if either is. */
double pcie_gb_s(double gt_s, int width);

/* "16.0 GT/s PCIe", "16 GT/s" -> 16; 0 for anything else ("Unknown"). */
double pcie_parse_gt_s(const char *text);

/* A model of GPU, by its PCI id. */
struct gpu_model {
    unsigned vendor, device;
    const char *name;
    double gt_s; /* of its PCI link at most */
    int width;
    int nvlinks;      /* of an SXM module: all of them go into NVSwitches where there are some */
    double link_mb_s; /* of one NVLink or XGMI link, one direction, 10^6 bytes/s; 0: it has none */
};

/* NULL for a model that the table lacks. */
const struct gpu_model *gpu_model_find(unsigned vendor, unsigned device);

/* 10^6 bytes/s of one NVLink in one direction by CUDA compute capability (80); 0 if unknown. */
double nvlink_mb_s(int sm);

/* The same of one XGMI link by architecture ("gfx90a"). */
double xgmi_mb_s(const char *arch);

#endif
