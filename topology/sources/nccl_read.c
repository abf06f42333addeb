#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/pcie.h"
#include "topology/sources/nccl.h"
#include "topology/sources/nccl_values.h"
#include "topology/sources/xml.h"

enum { MAX_ITEMS = 4096, MOST_MBIT_S = 10000000 /* more is no port but a mistake of units */ };

struct reader {
    const char *path;
    struct nccl_system *system;
    const char *host;     /* host_hash of the first <cpu> that has one */
    const xmlNode *empty; /* the first <cpu> with an affinity that has no bit */
};

static enum status bad(const struct reader *r, const xmlNode *node, const char *what) {
    return fail(ST_USAGE, "%s:%ld: <%s> %s; dump the machine again with NCCL_TOPO_DUMP_FILE",
                r->path, xmlGetLineNo(node), (const char *)node->name, what);
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

/* NCCL takes the far end for an NVSwitch where it cannot look at it; so does this where it is no
 * device of the file, once all are read. */
static enum status read_link(struct reader *r, const xmlNode *node, int gpu) {
    struct nccl_link *link = append(r, &r->system->links, &r->system->n_links, sizeof *link);
    const char *target = xml_attribute(node, "target"), *count = xml_attribute(node, "count");
    const long links = nccl_number(node, "count", 1024, -1);
    const long class = nccl_hex(node, "tclass", 0xffffff, -1);
    if (!link)
        return ST_USAGE;
    link->xgmi = xml_is(node, "xgmi");
    if (nccl_is_hidden(target))
        link->to.domain = NCCL_HIDDEN;
    else if (!nccl_bus_id(target, &link->to))
        return bad(r, node, "has no target such as \"0000:17:00.0\"");
    if (links < 0 && count && *count)
        return bad(r, node, "has a count that is none");
    link->from = gpu;
    link->links = links < 0 ? 1 : (unsigned)links;
    link->into_switch = class < 0 ? !link->xgmi : class == 0x068000;
    return ST_OK;
}

/* "910", "gfx942", "gfx90a:sramecc+:xnack-". RCCL calls gfx90a 910. */
static void read_amd(const char *gcn, struct nccl_pci *pci) {
    char name[12];
    text_copy(name, sizeof name, strncmp(gcn, "gfx", 3) == 0 ? gcn + 3 : gcn);
    name[strcspn(name, ":")] = '\0';
    snprintf(pci->arch, sizeof pci->arch, "gfx%s", strcmp(name, "910") == 0 ? "90a" : name);
    pci->link_mb_s = xgmi_mb_s(pci->arch);
    if (pci->vendor == 0)
        pci->vendor = 0x1002;
}

static void read_nvidia(int sm, struct nccl_pci *pci) {
    snprintf(pci->arch, sizeof pci->arch, "sm_%d", sm);
    pci->link_mb_s = nvlink_mb_s(sm);
    if (pci->vendor == 0)
        pci->vendor = 0x10de;
}

/* Of several <gpu> of a device, which ranks or parts of it are, each has all of its links. */
static enum status read_gpu(struct reader *r, const xmlNode *node, int index) {
    struct nccl_pci *pci = &r->system->pcis[index];
    const char *gcn = xml_attribute(node, "gcn");
    const int sm = (int)nccl_number(node, "sm", 9999, 0);
    if (pci->has_gpu)
        return ST_OK;
    pci->has_gpu = true;
    if (gcn && *gcn)
        read_amd(gcn, pci);
    else if (sm > 0)
        read_nvidia(sm, pci);
    enum status st = ST_OK;
    for (const xmlNode *child = node->children; child && !st; child = child->next)
        if (xml_is(child, "nvlink") || xml_is(child, "xgmi"))
            st = read_link(r, child, index);
    return st;
}

/* A socket's interface that is no PCI device stands below every <cpu> that a rank looked at it
 * from: it is one, on none of them. */
static bool is_listed(struct nccl_system *system, const struct nccl_net *net) {
    for (struct nccl_net *other = system->nets; other < net; other++)
        if (net->pci < 0 && other->pci < 0 && net->name[0] && !strcmp(other->name, net->name)) {
            other->cpu = other->cpu == net->cpu ? net->cpu : -1;
            return true;
        }
    return false;
}

/* A <net> that says net="0" is no network to NCCL. */
static enum status read_nic(struct reader *r, const xmlNode *node, int cpu, int pci) {
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (!xml_is(child, "net") || nccl_number(child, "net", 1, 1) == 0)
            continue;
        struct nccl_net *net = append(r, &r->system->nets, &r->system->n_nets, sizeof *net);
        if (!net)
            return ST_USAGE;
        net->cpu = cpu;
        net->pci = pci;
        net->mbit_s = (double)nccl_number(child, "speed", MOST_MBIT_S, 0);
        text_copy(net->name, sizeof net->name, xml_attribute(child, "name"));
        if (is_listed(r->system, net))
            r->system->n_nets--;
    }
    if (pci >= 0)
        r->system->pcis[pci].has_nic = true;
    return ST_OK;
}

static enum status read_pci(struct reader *r, const xmlNode *node, int cpu, int parent);

static enum status read_children(struct reader *r, const xmlNode *node, int cpu, int pci) {
    enum status st = ST_OK;
    for (const xmlNode *child = node->children; child && !st; child = child->next) {
        if (xml_is(child, "pci"))
            st = read_pci(r, child, cpu, pci);
        else if (xml_is(child, "nic"))
            st = read_nic(r, child, cpu, pci);
        else if (xml_is(child, "gpu"))
            st = pci < 0 ? bad(r, child, "stands in no <pci>") : read_gpu(r, child, pci);
    }
    return st;
}

/* Whether a device has the address of another. Of switches people write any. */
static bool is_repeated(const struct nccl_system *system, int index) {
    const struct nccl_pci *pci = &system->pcis[index];
    for (int i = 0; i < index && pci->class_id != 0x0604; i++)
        if (system->pcis[i].class_id != 0x0604 &&
            memcmp(&system->pcis[i].id, &pci->id, sizeof pci->id) == 0)
            return true;
    return false;
}

/* Depth is bounded: the parser refuses elements nested deeper than 256. */
static enum status read_pci(struct reader *r, const xmlNode *node, int cpu, int parent) {
    struct nccl_pci *pci = append(r, &r->system->pcis, &r->system->n_pcis, sizeof *pci);
    const int index = (int)r->system->n_pcis - 1;
    if (!pci)
        return ST_USAGE;
    if (!nccl_bus_id(xml_attribute(node, "busid"), &pci->id))
        return bad(r, node, "has no busid such as \"0000:17:00.0\"");
    const long class = nccl_class(node);
    if (class < 0)
        return bad(r, node,
                   "has no class such as \"0x030200\", and nothing below it tells what it is: NCCL "
                   "would look at the machine");
    if (parent >= 0 && r->system->pcis[parent].class_id != 0x0604)
        return bad(r, node, "hangs on a device that is no switch");
    pci->cpu = cpu;
    pci->parent = parent;
    pci->class_id = (unsigned)class;
    if (is_repeated(r->system, index))
        return bad(r, node, "has a busid that another has");
    pci->vendor = (unsigned)nccl_hex(node, "vendor", 0xffff, 0);
    pci->device = (unsigned)nccl_hex(node, "device", 0xffff, 0);
    pci->gb_s = nccl_pci_gb_s(node);
    return read_children(r, node, cpu, index);
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

/* Whether a <cpu> is of the same host as those before it. */
static bool same_host(struct reader *r, const xmlNode *node) {
    const char *host = xml_attribute(node, "host_hash");
    if (!r->host)
        r->host = host;
    return !host || strcmp(host, r->host) == 0;
}

static enum status read_cpu(struct reader *r, const xmlNode *node) {
    struct nccl_cpu *cpu = append(r, &r->system->cpus, &r->system->n_cpus, sizeof *cpu);
    const size_t index = r->system->n_cpus - 1;
    if (!cpu)
        return ST_USAGE;
    cpu->pus = hwloc_bitmap_alloc();
    if (!cpu->pus)
        return fail(ST_ENV, "out of memory for a set of processors");
    if (!same_host(r, node))
        return bad(r, node,
                   "is of another host than those before it: files of several hosts are "
                   "not read");
    const char *mask = xml_attribute(node, "affinity");
    const bool has_mask = mask && *mask;
    cpu->numa = (int)nccl_number(node, "numaid", NCCL_MOST_CPUS - 1, -1);
    if (!nccl_mask(mask, cpu->pus))
        return bad(r, node, "has no affinity such as \"00ff,ffffffff\", a mask of its processors");
    if (!r->empty && has_mask && hwloc_bitmap_iszero(cpu->pus))
        r->empty = node;
    for (size_t i = 0; i < index; i++) {
        if (cpu->numa >= 0 && r->system->cpus[i].numa == cpu->numa)
            return bad(r, node,
                       "has a numaid that another has: files of several hosts are not "
                       "read");
        if (hwloc_bitmap_intersects(r->system->cpus[i].pus, cpu->pus))
            return bad(r, node, "has processors that another has");
    }
    name_cpu(node, cpu->model, sizeof cpu->model);
    return read_children(r, node, (int)index, -1);
}

static bool any_processor(const struct nccl_system *system) {
    for (size_t i = 0; i < system->n_cpus; i++)
        if (!hwloc_bitmap_iszero(system->cpus[i].pus))
            return true;
    return false;
}

static bool is_taken(const struct nccl_system *system, int numa) {
    for (size_t i = 0; i < system->n_cpus; i++)
        if (system->cpus[i].numa == numa)
            return true;
    return false;
}

/* Linux has no number for the node of machines that have one only. Beside numbered ones, a <cpu>
 * without number and processors is the place of devices that have none. */
static void number_nodes(struct nccl_system *system) {
    bool any = any_processor(system);
    for (size_t i = 0; i < system->n_cpus; i++)
        any |= system->cpus[i].numa >= 0;
    for (size_t i = 0; i < system->n_cpus; i++) {
        struct nccl_cpu *cpu = &system->cpus[i];
        int number = 0;
        if (cpu->numa >= 0 || (hwloc_bitmap_iszero(cpu->pus) && (any || i > 0)))
            continue;
        while (is_taken(system, number))
            number++;
        cpu->numa = number;
    }
}

static void resolve_links(struct nccl_system *system) {
    for (size_t i = 0; i < system->n_links; i++)
        for (size_t j = 0; j < system->n_pcis; j++) {
            const bool same =
                memcmp(&system->links[i].to, &system->pcis[j].id, sizeof system->pcis[j].id) == 0;
            if (same && system->pcis[j].has_gpu)
                system->links[i].into_switch = false;
        }
}

static enum status read_system(struct reader *r, const xmlNode *root) {
    if (!root || !xml_is(root, "system"))
        return fail(ST_USAGE, "%s is no NCCL topology: no <system> element", r->path);
    const long version = nccl_number(root, "version", 1000, -1);
    if (version != 1 && version != 2)
        return bad(r, root, "has another version than 1 (NCCL) and 2 (RCCL), which are known");
    enum status st = ST_OK;
    for (const xmlNode *node = root->children; node && !st; node = node->next)
        if (xml_is(node, "cpu"))
            st = read_cpu(r, node);
    if (!st && r->system->n_cpus == 0)
        st = bad(r, root, "has no <cpu>");
    if (!st && r->empty && !any_processor(r->system))
        st = bad(r, r->empty, "has an affinity without processors, and no other <cpu> has any");
    if (st)
        return st;
    number_nodes(r->system);
    resolve_links(r->system);
    return ST_OK;
}

enum status nccl_read(struct nccl_system *system, const char *path) {
    *system = (struct nccl_system){0};
    struct reader r = {.path = path, .system = system};
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
    free(system->nets);
    free(system->links);
    *system = (struct nccl_system){0};
}
