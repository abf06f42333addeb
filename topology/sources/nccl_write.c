/* NCCL's tree in hwloc's words. A <cpu> becomes a group with a NUMA node, processors and one host
 * bridge, since NCCL tells host bridges of a node not apart; a switch becomes an upstream bridge
 * with a downstream one above each of its devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/pcie.h"
#include "topology/sources/nccl.h"

/* An end of NVLinks: a GPU of the file, or a switch that only links name. */
struct endpoint {
    struct nccl_bus_id id;
    int pci; /* index, -1: a switch that is no device of the file */
    unsigned gp_index;
};

struct writer {
    FILE *out;
    const struct nccl_system *system;
    unsigned gp_index; /* the next one */
    struct endpoint *ends;
    size_t n_ends;
};

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
static void put_sets(struct writer *w, hwloc_const_bitmap_t pus, const int *numa) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    char *cpuset = NULL, *nodeset = NULL;
    for (size_t i = 0; nodes && i < w->system->n_cpus; i++)
        if (!numa || w->system->cpus[i].numa == *numa)
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

static void put_pci_attributes(struct writer *w, const struct nccl_pci *p) {
    fprintf(w->out,
            " pci_busid=\"%04x:%02x:%02x.%01x\" pci_type=\"%04x [%04x:%04x] [%04x:%04x] 00\""
            " pci_link_speed=\"%.6f\"",
            p->id.domain, p->id.bus, p->id.dev, p->id.func, p->class_id, p->vendor, p->device,
            p->subvendor, p->subdevice, p->gb_s);
}

/* Opens a bridge; depth and bus range are decoration. */
static void open_bridge(struct writer *w, const char *type, const struct nccl_pci *pci) {
    const unsigned domain = pci ? pci->id.domain : 0;
    fprintf(w->out,
            "<object type=\"Bridge\" gp_index=\"%u\" bridge_type=\"%s\" depth=\"%d\""
            " bridge_pci=\"%04x:[00-ff]\"",
            w->gp_index++, type, pci ? 1 : 0, domain);
    if (pci)
        put_pci_attributes(w, pci);
    fprintf(w->out, ">\n");
}

static void put_device(struct writer *w, const struct nccl_pci *p) {
    for (size_t i = 0; i < w->n_ends; i++)
        if (w->ends[i].pci == (int)(p - w->system->pcis))
            w->ends[i].gp_index = w->gp_index;
    fprintf(w->out, "<object type=\"PCIDev\" gp_index=\"%u\"%s", w->gp_index++,
            p->class_id == 0x0680 ? " subtype=\"NVSwitch\"" : "");
    put_pci_attributes(w, p);
    fprintf(w->out, ">");
    if (nvlink_mb_s(p->sm) > 0)
        put_mb_s(w->out, NCCL_INFO_NVLINK, nvlink_mb_s(p->sm));
    if (p->net_mbit_s > 0)
        put_mb_s(w->out, NCCL_INFO_PORT, p->net_mbit_s / 8);
    if (p->net[0]) {
        fprintf(w->out, "<object type=\"OSDev\" gp_index=\"%u\" name=\"", w->gp_index++);
        put_text(w->out, p->net);
        fprintf(w->out, "\" osdev_type=\"%d\"/>", HWLOC_OBJ_OSDEV_OPENFABRICS);
    }
    fprintf(w->out, "</object>\n");
}

static void put_children(struct writer *w, int cpu, int parent) {
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

static void put_cpu(struct writer *w, int index) {
    const struct nccl_cpu *cpu = &w->system->cpus[index];
    const int numa = cpu->numa;
    const bool alone = w->system->n_cpus == 1; /* a group would be the machine again */
    if (!alone) {
        fprintf(w->out, "<object type=\"Group\" kind=\"1001\" subkind=\"0\"");
        put_sets(w, cpu->pus, &numa);
        fprintf(w->out, ">\n");
    }
    fprintf(w->out, "<object type=\"NUMANode\" os_index=\"%d\"", numa);
    put_sets(w, cpu->pus, &numa);
    fprintf(w->out, " local_memory=\"0\"/>\n");
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    int pu;
    hwloc_bitmap_foreach_begin(pu, cpu->pus) {
        if (one)
            hwloc_bitmap_only(one, (unsigned)pu);
        fprintf(w->out, "<object type=\"PU\" os_index=\"%d\"", pu);
        put_sets(w, one ? one : cpu->pus, &numa);
        fprintf(w->out, "/>\n");
    }
    hwloc_bitmap_foreach_end();
    hwloc_bitmap_free(one);
    bool devices = false;
    for (size_t i = 0; i < w->system->n_pcis; i++)
        devices |= w->system->pcis[i].cpu == index;
    if (devices) {
        open_bridge(w, "0-1", NULL);
        put_children(w, index, -1);
        fprintf(w->out, "</object>\n");
    }
    if (!alone)
        fprintf(w->out, "</object>\n");
}

static bool same(const struct nccl_bus_id *a, const struct nccl_bus_id *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static int find_end(const struct writer *w, const struct nccl_bus_id *id) {
    for (size_t i = 0; i < w->n_ends; i++)
        if (same(&w->ends[i].id, id))
            return (int)i;
    return -1;
}

static int find_pci(const struct nccl_system *system, const struct nccl_bus_id *id) {
    for (size_t i = 0; i < system->n_pcis; i++)
        if (same(&system->pcis[i].id, id))
            return (int)i;
    return -1;
}

static bool is_switch(const struct nccl_nvlink *link) {
    return link->to_class == 0x068000;
}

/* GPUs of the file, and the switches that links name. */
static bool collect_ends(struct writer *w) {
    const struct nccl_system *s = w->system;
    w->ends = calloc(s->n_pcis + s->n_nvlinks + 1, sizeof *w->ends);
    if (!w->ends)
        return false;
    for (size_t i = 0; i < s->n_nvlinks; i++) {
        const struct nccl_nvlink *link = &s->nvlinks[i];
        const struct nccl_pci *gpu = &s->pcis[link->from];
        if (find_end(w, &gpu->id) < 0)
            w->ends[w->n_ends++] = (struct endpoint){gpu->id, link->from, 0};
    }
    for (size_t i = 0; i < s->n_nvlinks; i++)
        if (is_switch(&s->nvlinks[i]) && find_end(w, &s->nvlinks[i].to) < 0)
            w->ends[w->n_ends++] =
                (struct endpoint){s->nvlinks[i].to, find_pci(s, &s->nvlinks[i].to), 0};
    return true;
}

static void put_switches(struct writer *w) {
    for (size_t i = 0; i < w->n_ends; i++) {
        if (w->ends[i].pci >= 0)
            continue;
        w->ends[i].gp_index = w->gp_index++;
        fprintf(w->out,
                "<object type=\"PCIDev\" gp_index=\"%u\" subtype=\"NVSwitch\""
                " pci_busid=\"%04x:%02x:%02x.%01x\" pci_type=\"0680 [10de:0000] [0000:0000] 00\""
                " pci_link_speed=\"0.0\"/>\n",
                w->ends[i].gp_index, w->ends[i].id.domain, w->ends[i].id.bus, w->ends[i].id.dev,
                w->ends[i].id.func);
    }
}

/* MB/s from end to end. A link of an unknown generation counts as 1 MB/s, so that it is there; its
 * GPU has no NCCL_INFO_NVLINK. false: none of that kind. */
static bool fill_matrix(const struct writer *w, bool xgmi, double *mb_s) {
    bool any = false;
    for (size_t i = 0; i < w->system->n_nvlinks; i++) {
        const struct nccl_nvlink *link = &w->system->nvlinks[i];
        const struct nccl_pci *gpu = &w->system->pcis[link->from];
        const int from = find_end(w, &gpu->id), to = find_end(w, &link->to);
        if (link->xgmi != xgmi || from < 0 || to < 0)
            continue;
        const double rate = xgmi ? 0 : nvlink_mb_s(gpu->sm);
        const double sum = link->links * (rate > 0 ? rate : 1);
        mb_s[(size_t)from * w->n_ends + (size_t)to] += sum;
        if (is_switch(link))
            mb_s[(size_t)to * w->n_ends + (size_t)from] += sum;
        any = true;
    }
    return any;
}

static void put_number(FILE *out, const char *element, const char *text) {
    fprintf(out, "<%s length=\"%zu\">%s</%s>\n", element, strlen(text), text, element);
}

static enum status put_matrix(struct writer *w, const char *name, bool xgmi) {
    double *mb_s = calloc(w->n_ends * w->n_ends + 1, sizeof *mb_s);
    char text[32];
    if (!mb_s)
        return ST_ENV;
    if (w->n_ends >= 2 && fill_matrix(w, xgmi, mb_s)) {
        fprintf(w->out, "<distances2hetero nbobjs=\"%zu\" kind=\"25\" name=\"%s\">\n", w->n_ends,
                name);
        for (size_t i = 0; i < w->n_ends; i++) {
            snprintf(text, sizeof text, "PCIDev:%u ", w->ends[i].gp_index);
            put_number(w->out, "indexes", text);
        }
        for (size_t i = 0; i < w->n_ends * w->n_ends; i++) {
            snprintf(text, sizeof text, "%.0f ", mb_s[i]);
            put_number(w->out, "u64values", text);
        }
        fprintf(w->out, "</distances2hetero>\n");
    }
    free(mb_s);
    return ST_OK;
}

static enum status put_machine(struct writer *w) {
    const struct nccl_system *s = w->system;
    hwloc_bitmap_t all = hwloc_bitmap_alloc();
    for (size_t i = 0; all && i < s->n_cpus; i++)
        hwloc_bitmap_or(all, all, s->cpus[i].pus);
    fprintf(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
                    "<object type=\"Machine\" os_index=\"0\"");
    put_sets(w, all ? all : s->cpus[0].pus, NULL);
    fprintf(w->out, ">\n");
    hwloc_bitmap_free(all);
    if (s->cpus[0].model[0])
        put_info(w->out, "CPUModel", s->cpus[0].model);
    for (size_t i = 0; i < s->n_cpus; i++)
        put_cpu(w, (int)i);
    put_switches(w);
    fprintf(w->out, "</object>\n");
    enum status st = put_matrix(w, "NVLinkBandwidth", false);
    if (st == ST_OK)
        st = put_matrix(w, "XGMIBandwidth", true);
    fprintf(w->out, "</topology>\n");
    return st;
}

char *nccl_to_hwloc(const struct nccl_system *system) {
    char *text = NULL;
    size_t size = 0;
    struct writer w = {.system = system, .gp_index = 1};
    w.out = open_memstream(&text, &size);
    const bool ok = w.out && collect_ends(&w) && put_machine(&w) == ST_OK;
    const bool failed = !w.out || ferror(w.out);
    if (w.out)
        fclose(w.out);
    free(w.ends);
    if (ok && !failed)
        return text;
    free(text);
    fail(ST_ENV, "out of memory for the topology");
    return NULL;
}
