#include "topology/pcie.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

double pcie_gb_s(double gt_s, int width) {
    if (!(gt_s > 0) || width <= 0)
        return 0;
    const double coding = gt_s < 6 ? 8.0 / 10 : gt_s < 40 ? 128.0 / 130 : 242.0 / 256;
    return gt_s * width * coding / 8;
}

double pcie_parse_gt_s(const char *text) {
    char *end;
    const double gt_s = strtod(text, &end);
    return end != text && strncmp(end, " GT/s", 5) == 0 && gt_s > 0 && gt_s < 1000 ? gt_s : 0;
}

/* PCI ids: the PCI ID Repository. Links: NVIDIA's data sheets and architecture white papers (P100,
 * V100, A100, H100), AMD's Instinct data sheets. */
static const struct gpu_model models[] = {
    {0x10de, 0x1023, "Tesla K40m", 8, 16, 0, 0},
    {0x10de, 0x1024, "Tesla K40c", 8, 16, 0, 0},
    {0x10de, 0x1094, "Tesla M2075", 5, 16, 0, 0},
    {0x10de, 0x15f8, "Tesla P100-PCIE-16GB", 8, 16, 0, 0},
    {0x10de, 0x15f9, "Tesla P100-SXM2-16GB", 8, 16, 4, 20000},
    {0x10de, 0x1db1, "Tesla V100-SXM2-16GB", 8, 16, 6, 25000},
    {0x10de, 0x1db4, "Tesla V100-PCIE-16GB", 8, 16, 0, 0},
    {0x10de, 0x1db5, "Tesla V100-SXM2-32GB", 8, 16, 6, 25000},
    {0x10de, 0x1db6, "Tesla V100-PCIE-32GB", 8, 16, 0, 0},
    {0x10de, 0x1db8, "Tesla V100-SXM3-32GB", 8, 16, 6, 25000},
    {0x10de, 0x1eb8, "Tesla T4", 8, 16, 0, 0},
    {0x10de, 0x20b0, "A100-SXM4-40GB", 16, 16, 12, 25000},
    {0x10de, 0x20b2, "A100-SXM4-80GB", 16, 16, 12, 25000},
    {0x10de, 0x20f1, "A100-PCIE-40GB", 16, 16, 0, 25000},
    {0x10de, 0x20b5, "A100 80GB PCIe", 16, 16, 0, 25000},
    {0x10de, 0x2330, "H100 80GB HBM3", 32, 16, 18, 25000},
    {0x10de, 0x2335, "H200", 32, 16, 18, 25000},
    {0x1002, 0x66a1, "Instinct MI50", 16, 16, 0, 46000},
    {0x1002, 0x738c, "Instinct MI100", 16, 16, 0, 46000},
    {0x1002, 0x740f, "Instinct MI210", 16, 16, 0, 50000},
    {0x1002, 0x740c, "Instinct MI250X/MI250", 16, 16, 0, 50000},
    {0x1002, 0x7408, "Instinct MI250X", 16, 16, 0, 50000},
    {0x1002, 0x74a0, "Instinct MI300A", 32, 16, 0, 64000},
    {0x1002, 0x74a1, "Instinct MI300X", 32, 16, 0, 64000},
    {0x1002, 0x74a5, "Instinct MI325X", 32, 16, 0, 64000},
    {0x1002, 0x75a0, "Instinct MI350X", 32, 16, 0, 76800},
    {0x1002, 0x75a3, "Instinct MI355X", 32, 16, 0, 76800},
};

const struct gpu_model *gpu_model_find(unsigned vendor, unsigned device) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].vendor == vendor && models[i].device == device)
            return &models[i];
    return NULL;
}

/* White papers of the architectures: P100 has 4 links and 160 GB/s in both directions together,
 * V100 6 and 300, TU102 2 and 100, A100 12 and 600, GA102 4 and 112.5, H100 18 and 900, B200 18 and
 * 1800, Rubin 36 and 3600. */
static const struct generation {
    int sm;
    double mb_s;
} generations[] = {
    {60, 20000}, {70, 25000},  {75, 25000},  {80, 25000},  {86, 14062.5},
    {90, 25000}, {100, 50000}, {103, 50000}, {107, 50000},
};

double nvlink_mb_s(int sm) {
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (generations[i].sm == sm)
            return generations[i].mb_s;
    return 0;
}

/* AMD Instinct data sheets, "peak Infinity Fabric link bandwidth", both directions together: MI50,
 * MI60 and MI100 92 GB/s, MI200 100, MI300 128, MI350 153.6. */
static const struct {
    const char *arch; /* and what begins so */
    double mb_s;
} xgmi_links[] = {
    {"gfx906", 46000}, {"gfx908", 46000}, {"gfx90a", 50000}, {"gfx94", 64000}, {"gfx95", 76800},
};

double xgmi_mb_s(const char *arch) {
    for (size_t i = 0; i < sizeof xgmi_links / sizeof *xgmi_links; i++)
        if (strncmp(arch, xgmi_links[i].arch, strlen(xgmi_links[i].arch)) == 0)
            return xgmi_links[i].mb_s;
    return 0;
}
