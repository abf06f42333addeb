/* NCCL's tree in hwloc's words. A <cpu> becomes a group with a NUMA node, processors and one host
 * bridge, since NCCL tells host bridges of a node not apart; a switch becomes an upstream bridge
 * with a downstream one above each of its devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/pcie.h"
#include "topology/sources/nccl_write.h"

static void put_text(FILE *out, const char *text) {
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

static void put_info(FILE *out, const char *name, const char *value) {
    fprintf(out, "<info name=\"%s\" value=\"", name);
    put_text(out, value);
    fprintf(out, "\"/>");
}

static void put_mb_s(FILE *out, const char *name, double mb_s) {
    fprintf(out, "<info name=\"%s\" value=\"%.1f\"/>", name, mb_s);
}

/* The attributes of a set of processors and of the NUMA nodes numa (all of them if NULL). */
static void put_sets(struct nccl_writer *w, hwloc_const_bitmap_t pus, const int *numa) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    char *cpuset = NULL, *nodeset = NULL;
    for (size_t i = 0; nodes && i < w->system->n_cpus; i++)
        if (w->system->cpus[i].numa >= 0 && (!numa || w->system->cpus[i].numa == *numa))
            hwloc_bitmap_set(nodes, (unsigned)w->system->cpus[i].numa);
    if (nodes && hwloc_bitmap_asprintf(&cpuset, pus) >= 0 &&
        hwloc_bitmap_asprintf(&nodeset, nodes) >= 0) {
        fprintf(w->out, " cpuset=\"%s\" complete_cpuset=\"%s\"", cpuset, cpuset);
        fprintf(w->out, " nodeset=\"%s\" complete_nodeset=\"%s\"", nodeset, nodeset);
        if (!numa)
            fprintf(w->out, " allowed_cpuset=\"%s\" allowed_nodeset=\"%s\"", cpuset, nodeset);
    }
    fprintf(w->out, " gp_index=\"%u\"", w->gp_index++);
    free(cpuset);
    free(nodeset);
    hwloc_bitmap_free(nodes);
}

/* hwloc 2 has 16 bits for a domain; NCCL_INFO_BUS_ID keeps longer ones. */
static void put_pci_attributes(struct nccl_writer *w, const struct nccl_pci *p) {
    fprintf(w->out,
            " pci_busid=\"%04x:%02x:%02x.%01x\" pci_type=\"%04x [%04x:%04x] [0000:0000] 00\""
            " pci_link_speed=\"%.6f\"",
            p->id.domain & 0xffff, p->id.bus, p->id.dev, p->id.func, p->class_id, p->vendor,
            p->device, p->gb_s);
}

/* Opens a bridge; depth and bus range are decoration. */
static void open_bridge(struct nccl_writer *w, const char *type, const struct nccl_pci *pci) {
    fprintf(w->out,
            "<object type=\"Bridge\" gp_index=\"%u\" bridge_type=\"%s\" depth=\"%d\""
            " bridge_pci=\"%04x:[00-ff]\"",
            w->gp_index++, type, pci ? 1 : 0, pci ? pci->id.domain & 0xffff : 0);
    if (pci)
        put_pci_attributes(w, pci);
    fprintf(w->out, ">\n");
}

/* Types of OS devices in hwloc 2's format. */
enum { OSDEV_OPENFABRICS = 3, OSDEV_COPROC = 5 };

static void open_os_device(struct nccl_writer *w, const char *name, int type) {
    fprintf(w->out, "<object type=\"OSDev\" gp_index=\"%u\" osdev_type=\"%d\"", w->gp_index++,
            type);
    if (*name) {
        fprintf(w->out, " name=\"");
        put_text(w->out, name);
        fprintf(w->out, "\"");
    }
    fprintf(w->out, ">");
}

/* The interfaces of a PCI device, or with pci -1 those that hang on a cpu and are none. */
static void put_nets(struct nccl_writer *w, int cpu, int pci) {
    for (size_t i = 0; i < w->system->n_nets; i++) {
        const struct nccl_net *net = &w->system->nets[i];
        if (net->cpu != cpu || net->pci != pci)
            continue;
        open_os_device(w, net->name, OSDEV_OPENFABRICS);
        put_info(w->out, NCCL_INFO_NET, "1");
        if (net->mbit_s > 0)
            put_mb_s(w->out, NCCL_INFO_PORT, net->mbit_s / 8);
        fprintf(w->out, "</object>\n");
    }
}

/* A GPU by what it is where its PCI id does not tell, and no console whatever its class. */
static void put_gpu(struct nccl_writer *w, const struct nccl_pci *p) {
    if (p->link_mb_s > 0)
        put_mb_s(w->out, NCCL_INFO_LINK, p->link_mb_s);
    open_os_device(w, "", OSDEV_COPROC);
    if (p->arch[0] && !gpu_model_find(p->vendor, p->device))
        put_info(w->out, "GPUModel", p->arch);
    fprintf(w->out, "</object>");
}

static void put_device(struct nccl_writer *w, const struct nccl_pci *p) {
    const int index = (int)(p - w->system->pcis);
    char id[24];
    for (size_t i = 0; i < w->n_ends; i++)
        if (w->ends[i].pci == index)
            w->ends[i].gp_index = w->gp_index;
    fprintf(w->out, "<object type=\"PCIDev\" gp_index=\"%u\"%s", w->gp_index++,
            p->class_id == 0x0680 ? " subtype=\"NVSwitch\"" : "");
    put_pci_attributes(w, p);
    fprintf(w->out, ">");
    snprintf(id, sizeof id, "%04x:%02x:%02x.%01x", p->id.domain, p->id.bus, p->id.dev, p->id.func);
    if (p->id.domain > 0xffff)
        put_info(w->out, NCCL_INFO_BUS_ID, id);
    if (p->has_gpu)
        put_gpu(w, p);
    put_nets(w, p->cpu, index);
    fprintf(w->out, "</object>\n");
}

static void put_children(struct nccl_writer *w, int cpu, int parent) {
    for (size_t i = 0; i < w->system->n_pcis; i++) {
        const struct nccl_pci *p = &w->system->pcis[i];
        if (p->cpu != cpu || p->parent != parent)
            continue;
        /* The port above it, at the other end of the same link. */
        struct nccl_pci port = *p;
        port.class_id = 0x0604;
        if (parent >= 0)
            open_bridge(w, "1-1", &port);
        if (p->class_id == 0x0604) {
            open_bridge(w, "1-1", p);
            put_children(w, cpu, (int)i);
            fprintf(w->out, "</object>\n");
        } else {
            put_device(w, p);
        }
        if (parent >= 0)
            fprintf(w->out, "</object>\n");
    }
}

static void put_pus(struct nccl_writer *w, hwloc_const_bitmap_t pus, int numa) {
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    int pu;
    hwloc_bitmap_foreach_begin(pu, pus) {
        if (one)
            hwloc_bitmap_only(one, (unsigned)pu);
        fprintf(w->out, "<object type=\"PU\" os_index=\"%d\"", pu);
        put_sets(w, one ? one : pus, &numa);
        fprintf(w->out, "/>\n");
    }
    hwloc_bitmap_foreach_end();
    hwloc_bitmap_free(one);
}

static void put_devices(struct nccl_writer *w, int cpu) {
    bool any = false;
    for (size_t i = 0; i < w->system->n_pcis; i++)
        any |= w->system->pcis[i].cpu == cpu;
    if (any) {
        open_bridge(w, "0-1", NULL);
        put_children(w, cpu, -1);
        fprintf(w->out, "</object>\n");
    }
    put_nets(w, cpu, -1);
}

/* A group for each NUMA node; one alone would be the machine again. Devices of no node hang on the
 * machine. */
static void put_cpu(struct nccl_writer *w, int index) {
    const int numa = w->system->cpus[index].numa;
    const hwloc_bitmap_t pus = w->pus[index];
    const bool grouped = w->n_nodes > 1 && numa >= 0;
    if (grouped) {
        fprintf(w->out, "<object type=\"Group\" kind=\"1001\" subkind=\"0\"");
        put_sets(w, pus, &numa);
        fprintf(w->out, ">\n");
    }
    if (numa >= 0) {
        fprintf(w->out, "<object type=\"NUMANode\" os_index=\"%d\"", numa);
        put_sets(w, pus, &numa);
        fprintf(w->out, " local_memory=\"0\"/>\n");
        put_pus(w, pus, numa);
    }
    put_devices(w, index);
    if (grouped)
        fprintf(w->out, "</object>\n");
}

/* hwloc wants objects in the order of their first processors, and every NUMA node to have some: one
 * is made up for those that are told none. False when memory is short. */
static bool prepare_cpus(struct nccl_writer *w) {
    const size_t n = w->system->n_cpus;
    w->pus = calloc(n, sizeof *w->pus);
    w->order = calloc(n, sizeof *w->order);
    w->all = hwloc_bitmap_alloc();
    w->made_up = hwloc_bitmap_alloc();
    if (!w->pus || !w->order || !w->all || !w->made_up)
        return false;
    for (size_t i = 0; i < n; i++)
        hwloc_bitmap_or(w->all, w->all, w->system->cpus[i].pus);
    for (size_t i = 0; i < n; i++) {
        w->pus[i] = hwloc_bitmap_dup(w->system->cpus[i].pus);
        if (!w->pus[i])
            return false;
        w->n_nodes += w->system->cpus[i].numa >= 0;
        if (w->system->cpus[i].numa < 0 || !hwloc_bitmap_iszero(w->pus[i]))
            continue;
        const unsigned next = (unsigned)(hwloc_bitmap_last(w->all) + 1);
        hwloc_bitmap_set(w->pus[i], next);
        hwloc_bitmap_set(w->made_up, next);
        hwloc_bitmap_set(w->all, next);
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (;
             at > 0 && hwloc_bitmap_first(w->pus[w->order[at - 1]]) > hwloc_bitmap_first(w->pus[i]);
             at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = (int)i;
    }
    return true;
}

static enum status put_machine(struct nccl_writer *w) {
    const struct nccl_system *s = w->system;
    char made_up[256];
    fprintf(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
                    "<object type=\"Machine\" os_index=\"0\"");
    put_sets(w, w->all, NULL);
    fprintf(w->out, ">\n");
    if (s->cpus[0].model[0])
        put_info(w->out, "CPUModel", s->cpus[0].model);
    hwloc_bitmap_list_snprintf(made_up, sizeof made_up, w->made_up);
    if (made_up[0])
        put_info(w->out, NCCL_INFO_MADE_UP, made_up);
    for (size_t i = 0; i < s->n_cpus; i++)
        put_cpu(w, w->order[i]);
    put_nets(w, -1, -1);
    nccl_put_switches(w);
    fprintf(w->out, "</object>\n");
    const enum status st = nccl_put_matrices(w);
    fprintf(w->out, "</topology>\n");
    return st;
}

static void free_writer(struct nccl_writer *w) {
    for (size_t i = 0; w->pus && i < w->system->n_cpus; i++)
        hwloc_bitmap_free(w->pus[i]);
    hwloc_bitmap_free(w->all);
    hwloc_bitmap_free(w->made_up);
    free(w->pus);
    free(w->order);
    free(w->ends);
}

enum status nccl_to_hwloc(const struct nccl_system *system, char **xml) {
    char *text = NULL;
    size_t size = 0;
    struct nccl_writer w = {.system = system, .gp_index = 1};
    w.out = open_memstream(&text, &size);
    enum status st = w.out && prepare_cpus(&w) ? nccl_find_ends(&w) : ST_ENV;
    if (!st)
        st = put_machine(&w);
    if (w.out && fclose(w.out))
        st = ST_ENV;
    free_writer(&w);
    if (st) {
        free(text);
        text = NULL;
    }
    *xml = text;
    return st == ST_ENV ? fail(ST_ENV, "out of memory for the topology") : st;
}
