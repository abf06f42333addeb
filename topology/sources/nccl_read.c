#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/pcie.h"
#include "topology/sources/nccl.h"
#include "topology/sources/xml.h"

enum { MAX_ITEMS = 4096, MAX_CPUS = 4096 };

struct reader {
    const char *path;
    struct nccl_system *system;
};

static enum status bad(const struct reader *r, const xmlNode *node, const char *what) {
    return fail(ST_USAGE, "%s:%ld: <%s> %s; dump the machine again with NCCL_TOPO_DUMP_FILE",
                r->path, xmlGetLineNo(node), (const char *)node->name, what);
}

/* A number in the given base, or missing if there is no such attribute; false if it is none. */
static bool number(const xmlNode *node, const char *name, int base, long missing, long max,
                   long *out) {
    const char *text = xml_attribute(node, name);
    char *end = NULL;
    *out = text ? strtol(text, &end, base) : missing;
    return !text || (end != text && *end == '\0' && *out >= -1 && *out <= max);
}

static bool parse_bus_id(const char *text, struct nccl_bus_id *id) {
    int used = 0;
    return text &&
           sscanf(text, "%4x:%2x:%2x.%1x%n", &id->domain, &id->bus, &id->dev, &id->func, &used) ==
               4 &&
           text[used] == '\0' && id->dev < 32 && id->func < 8;
}

/* Makes room for one more element, zeroed; NULL (logged) when there are too many. */
static void *append(const struct reader *r, void *array, size_t *n, size_t size) {
    void **items = array;
    void *grown = *n < MAX_ITEMS ? realloc(*items, (*n + 1) * size) : NULL;
    if (!grown) {
        fail(ST_USAGE, "%s: more than %zu devices or links", r->path, *n);
        return NULL;
    }
    *items = grown;
    return memset((char *)grown + (*n)++ * size, 0, size);
}

/* "00ff,ffffffff": words of 32 bits, the highest first. */
static bool parse_mask(const char *text, hwloc_bitmap_t pus) {
    const size_t length = strlen(text);
    unsigned bit = 0, digits = 0;
    for (size_t i = length; i-- > 0;) {
        if (text[i] == ',') {
            bit += 4 * (8 - digits);
            digits = 0;
            continue;
        }
        const char *const all = "0123456789abcdef";
        const char *found = strchr(all, text[i] | 0x20);
        if (!found || digits == 8 || bit >= MAX_CPUS)
            return false;
        for (unsigned b = 0; b < 4; b++)
            if ((found - all) >> b & 1)
                hwloc_bitmap_set(pus, bit + b);
        bit += 4;
        digits++;
    }
    return length > 0;
}

static enum status read_nvlink(struct reader *r, const xmlNode *node, int gpu) {
    struct nccl_nvlink *link = append(r, &r->system->nvlinks, &r->system->n_nvlinks, sizeof *link);
    long count, class;
    if (!link)
        return ST_USAGE;
    if (!parse_bus_id(xml_attribute(node, "target"), &link->to))
        return bad(r, node, "has no target such as \"0000:17:00.0\"");
    if (!number(node, "count", 10, 1, 1024, &count) || count < 0)
        return bad(r, node, "has a count that is none");
    if (!number(node, "tclass", 16, 0x030200, 0xffffff, &class))
        return bad(r, node, "has a tclass that is none");
    link->from = gpu;
    link->links = (unsigned)count;
    link->to_class = (unsigned)class;
    link->xgmi = xml_is(node, "xgmi");
    return ST_OK;
}

static enum status read_gpu(struct reader *r, const xmlNode *node, int pci) {
    long sm;
    if (!number(node, "sm", 10, 0, 9999, &sm))
        return bad(r, node, "has an sm that is none");
    r->system->pcis[pci].sm = (int)sm;
    enum status st = ST_OK;
    for (const xmlNode *child = node->children; child && !st; child = child->next)
        if (xml_is(child, "nvlink") || xml_is(child, "xgmi"))
            st = read_nvlink(r, child, pci);
    return st;
}

/* Of a device with several ports the fastest counts, under the name of the first. */
static enum status read_nic(struct reader *r, const xmlNode *node, struct nccl_pci *pci) {
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (!xml_is(child, "net"))
            continue;
        long mbit_s;
        if (!number(child, "speed", 10, 0, 100000000, &mbit_s))
            return bad(r, child, "has a speed that is none");
        if (!pci) {
            r->system->n_without_pci++;
            continue;
        }
        if (!pci->net[0])
            text_copy(pci->net, sizeof pci->net, xml_attribute(child, "name"));
        if ((double)mbit_s > pci->net_mbit_s)
            pci->net_mbit_s = (double)mbit_s;
    }
    return ST_OK;
}

static enum status read_pci(struct reader *r, const xmlNode *node, int cpu, int parent);

static enum status read_children(struct reader *r, const xmlNode *node, int cpu, int pci) {
    enum status st = ST_OK;
    for (const xmlNode *child = node->children; child && !st; child = child->next) {
        if (xml_is(child, "pci"))
            st = read_pci(r, child, cpu, pci);
        else if (xml_is(child, "nic"))
            st = read_nic(r, child, pci >= 0 ? &r->system->pcis[pci] : NULL);
        else if (xml_is(child, "gpu") && pci >= 0)
            st = read_gpu(r, child, pci);
    }
    return st;
}

static enum status read_link(const struct reader *r, const xmlNode *node, struct nccl_pci *pci) {
    const char *speed = xml_attribute(node, "link_speed");
    long width;
    if (!number(node, "link_width", 10, 0, 64, &width) || width < 0)
        return bad(r, node, "has a link_width that is none");
    pci->gb_s = speed ? pcie_gb_s(pcie_parse_gt_s(speed), (int)width) : 0;
    return ST_OK;
}

/* Depth is bounded: the parser refuses elements nested deeper than 256. */
static enum status read_pci(struct reader *r, const xmlNode *node, int cpu, int parent) {
    struct nccl_pci *pci = append(r, &r->system->pcis, &r->system->n_pcis, sizeof *pci);
    if (!pci)
        return ST_USAGE;
    const int index = (int)r->system->n_pcis - 1;
    pci->cpu = cpu;
    pci->parent = parent;
    if (!parse_bus_id(xml_attribute(node, "busid"), &pci->id))
        return bad(r, node, "has no busid such as \"0000:17:00.0\"");
    for (int i = 0; i < index; i++)
        if (memcmp(&r->system->pcis[i].id, &pci->id, sizeof pci->id) == 0)
            return bad(r, node, "has a busid that another has");
    long class;
    if (!xml_attribute(node, "class") || !number(node, "class", 16, 0, 0xffffff, &class) ||
        class < 0)
        return bad(r, node, "has no class such as \"0x030200\"");
    pci->class_id = (unsigned)class >> 8;
    if (parent >= 0 && r->system->pcis[parent].class_id != 0x0604)
        return bad(r, node, "hangs on a device that is no switch");
    const struct {
        const char *name;
        unsigned *value;
    } ids[] = {{"vendor", &pci->vendor},
               {"device", &pci->device},
               {"subsystem_vendor", &pci->subvendor},
               {"subsystem_device", &pci->subdevice}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        long value;
        if (!number(node, ids[i].name, 16, 0, 0xffff, &value) || value < 0)
            return bad(r, node, "has a vendor or device that is no PCI id");
        *ids[i].value = (unsigned)value;
    }
    const enum status st = read_link(r, node, pci);
    return st ? st : read_children(r, node, cpu, index);
}

static void name_cpu(const xmlNode *node, char *model, size_t n) {
    const char *vendor = xml_attribute(node, "vendor"), *arch = xml_attribute(node, "arch");
    const char *family = xml_attribute(node, "familyid"),
               *model_id = xml_attribute(node, "modelid");
    char text[96];
    if (vendor && family && model_id)
        snprintf(text, sizeof text, "%s family %s model %s", vendor, family, model_id);
    else
        snprintf(text, sizeof text, "%s", vendor ? vendor : arch ? arch : "");
    text_copy(model, n, text);
}

static enum status read_cpu(struct reader *r, const xmlNode *node) {
    struct nccl_cpu *cpu = append(r, &r->system->cpus, &r->system->n_cpus, sizeof *cpu);
    const size_t index = r->system->n_cpus - 1;
    long numa;
    if (!cpu)
        return ST_USAGE;
    cpu->pus = hwloc_bitmap_alloc();
    if (!cpu->pus)
        return fail(ST_ENV, "out of memory for a set of processors");
    if (!number(node, "numaid", 10, -1, MAX_CPUS - 1, &numa))
        return bad(r, node, "has a numaid that is none");
    cpu->numa = numa < 0 ? 0 : (int)numa; /* Linux' "none" on machines with one node */
    const char *mask = xml_attribute(node, "affinity");
    if (!mask || !parse_mask(mask, cpu->pus))
        return bad(r, node, "has no affinity such as \"00ff,ffffffff\", a mask of its processors");
    if (hwloc_bitmap_iszero(cpu->pus))
        return bad(r, node, "has an affinity without processors");
    for (size_t i = 0; i < index; i++) {
        if (r->system->cpus[i].numa == cpu->numa)
            return bad(r, node,
                       "has a numaid that another has: files of several hosts are not "
                       "read");
        if (hwloc_bitmap_intersects(r->system->cpus[i].pus, cpu->pus))
            return bad(r, node, "has processors that another has");
    }
    name_cpu(node, cpu->model, sizeof cpu->model);
    return read_children(r, node, (int)index, -1);
}

static enum status read_system(struct reader *r, const xmlNode *root) {
    if (!root || !xml_is(root, "system"))
        return fail(ST_USAGE, "%s is no NCCL topology: no <system> element", r->path);
    const char *version = xml_attribute(root, "version");
    if (!version || strcmp(version, "1") != 0)
        return bad(r, root, "has another version than 1, the only one that is known");
    enum status st = ST_OK;
    for (const xmlNode *node = root->children; node && !st; node = node->next)
        if (xml_is(node, "cpu"))
            st = read_cpu(r, node);
    if (!st && r->system->n_cpus == 0)
        st = bad(r, root, "has no <cpu>");
    return st;
}

enum status nccl_read(struct nccl_system *system, const char *path) {
    *system = (struct nccl_system){0};
    struct reader r = {path, system};
    xmlDoc *doc;
    enum status st = xml_read(path, &doc);
    if (st)
        return st;
    if (doc->intSubset)
        st = fail(ST_USAGE, "%s has a DOCTYPE, which no NCCL topology has", path);
    else
        st = read_system(&r, xmlDocGetRootElement(doc));
    xmlFreeDoc(doc);
    return st;
}

void nccl_free(struct nccl_system *system) {
    for (size_t i = 0; i < system->n_cpus; i++)
        hwloc_bitmap_free(system->cpus[i].pus);
    free(system->cpus);
    free(system->pcis);
    free(system->nvlinks);
    *system = (struct nccl_system){0};
}
