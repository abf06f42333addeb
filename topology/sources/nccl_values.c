#include "topology/sources/nccl_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/pcie.h"
#include "topology/sources/xml.h"

static long number(const char *text, int base, long max, long unknown) {
    char *end = NULL;
    const long value = text ? strtol(text, &end, base) : -1;
    return text && end != text && *end == '\0' && value >= 0 && value <= max ? value : unknown;
}

long nccl_number(const xmlNode *node, const char *name, long max, long unknown) {
    return number(xml_attribute(node, name), 0, max, unknown);
}

long nccl_hex(const xmlNode *node, const char *name, long max, long unknown) {
    return number(xml_attribute(node, name), 16, max, unknown);
}

bool nccl_bus_id(const char *text, struct nccl_bus_id *id) {
    int used = 0;
    return text && text[strspn(text, "0123456789abcdefABCDEF:.")] == '\0' &&
           sscanf(text, "%8x:%2x:%2x.%1x%n", &id->domain, &id->bus, &id->dev, &id->func, &used) ==
               4 &&
           text[used] == '\0' && id->domain != NCCL_HIDDEN;
}

bool nccl_is_hidden(const char *target) {
    return target && strncmp(target, "fffffff:", 8) == 0;
}

bool nccl_mask(const char *text, hwloc_bitmap_t pus) {
    unsigned bit = 0, digits = 0;
    for (size_t i = text ? strlen(text) : 0; i-- > 0;) {
        if (text[i] == ',') {
            bit += 4 * (8 - digits);
            digits = 0;
            continue;
        }
        const char *const all = "0123456789abcdef";
        const char *found = strchr(all, text[i] | 0x20);
        if (!found || digits == 8 || bit >= NCCL_MOST_CPUS)
            return false;
        for (unsigned b = 0; b < 4; b++)
            if ((found - all) >> b & 1)
                hwloc_bitmap_set(pus, bit + b);
        bit += 4;
        digits++;
    }
    return true;
}

/* Ports that QEMU emulates, and their virtual machine's devices hang on, are said to be slow ones
 * (TI XIO3130, root port) and carry what the machine's own do. */
static bool is_emulated(const xmlNode *node) {
    static const struct {
        long vendor, device;
    } ports[] = {{0x104c, 0x8232}, {0x104c, 0x8233}, {0x1b36, 0x000c}};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (nccl_hex(node, "vendor", 0xffff, 0) == ports[i].vendor &&
            nccl_hex(node, "device", 0xffff, 0) == ports[i].device)
            return true;
    return false;
}

double nccl_pci_gb_s(const xmlNode *node) {
    if (is_emulated(node))
        return 0;
    const char *speed = xml_attribute(node, "link_speed");
    const long width = nccl_number(node, "link_width", 32, 0); /* 255: it cannot be read */
    return speed ? pcie_gb_s(pcie_parse_gt_s(speed), (int)width) : 0;
}

static bool has_child(const xmlNode *node, const char *name) {
    const xmlNode *child = node->children;
    while (child && !xml_is(child, name))
        child = child->next;
    return child;
}

/* A class of 24 bits; shorter ones lack their low bits: NCCL says "0x03" where it knows no more.
 * -1: none. */
static long read_class(const xmlNode *node) {
    const char *text = xml_attribute(node, "class");
    const long class = nccl_hex(node, "class", 0xffffff, -1);
    const size_t digits = class < 0 ? 0 : strlen(text) - (strncmp(text, "0x", 2) == 0 ? 2 : 0);
    return digits <= 2 ? class * 0x10000 : digits <= 4 ? class * 0x100 : class;
}

/* Display, accelerator; network. */
static bool is_gpu(long class) {
    return class >> 16 == 0x03 || class >> 16 == 0x12;
}

static bool is_nic(long class) {
    return class >> 16 == 0x02 || class >> 8 == 0x0c06;
}

long nccl_class(const xmlNode *node) {
    const long class = read_class(node);
    if (has_child(node, "gpu"))
        return is_gpu(class) ? class >> 8 : 0x0302;
    if (has_child(node, "nic"))
        return is_nic(class) ? class >> 8 : 0x0200;
    if (has_child(node, "pci") && !is_gpu(class) && !is_nic(class))
        return 0x0604;
    return class < 0 ? -1 : class >> 8;
}
