/* Links of GPUs as hwloc's matrices. */
#include <stdlib.h>
#include <string.h>

#include "topology/sources/nccl_write.h"

enum { MOST_ENDS = 1024 };

static bool same(const struct nccl_bus_id *a, const struct nccl_bus_id *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static int find_end(const struct nccl_writer *w, const struct nccl_bus_id *id) {
    for (size_t i = 0; i < w->n_ends; i++)
        if (same(&w->ends[i].id, id))
            return (int)i;
    return -1;
}

/* A device of the file that is no bridge in hwloc's tree; -1 if there is none. */
static int find_device(const struct nccl_system *system, const struct nccl_bus_id *id) {
    for (size_t i = 0; i < system->n_pcis; i++)
        if (system->pcis[i].class_id != 0x0604 && same(&system->pcis[i].id, id))
            return (int)i;
    return -1;
}

/* GPUs of the file, and the switches that links name. */
enum status nccl_find_ends(struct nccl_writer *w) {
    const struct nccl_system *s = w->system;
    w->ends = calloc(s->n_pcis + s->n_links + 1, sizeof *w->ends);
    if (!w->ends)
        return ST_ENV;
    for (size_t i = 0; i < s->n_links; i++) {
        const struct nccl_link *link = &s->links[i];
        const struct nccl_pci *gpu = &s->pcis[link->from];
        if (find_end(w, &gpu->id) < 0)
            w->ends[w->n_ends++] = (struct nccl_end){gpu->id, link->from, 0};
    }
    for (size_t i = 0; i < s->n_links; i++)
        if (s->links[i].into_switch && find_end(w, &s->links[i].to) < 0)
            w->ends[w->n_ends++] =
                (struct nccl_end){s->links[i].to, find_device(s, &s->links[i].to), 0};
    return w->n_ends <= MOST_ENDS
               ? ST_OK
               : fail(ST_USAGE, "links of %zu GPUs and NVSwitches: %d at most are read", w->n_ends,
                      MOST_ENDS);
}

void nccl_put_switches(struct nccl_writer *w) {
    for (size_t i = 0; i < w->n_ends; i++) {
        const struct nccl_bus_id *id = &w->ends[i].id;
        if (w->ends[i].pci >= 0)
            continue;
        w->ends[i].gp_index = w->gp_index++;
        fprintf(w->out,
                "<object type=\"PCIDev\" gp_index=\"%u\" subtype=\"NVSwitch\""
                " pci_busid=\"%04x:%02x:%02x.%01x\" pci_type=\"0680 [10de:0000] [0000:0000] 00\""
                " pci_link_speed=\"0.0\">",
                w->ends[i].gp_index, id->domain & 0xffff, id->bus, id->dev, id->func);
        if (id->domain == NCCL_HIDDEN)
            fprintf(w->out, "<info name=\"" NCCL_INFO_HIDDEN "\" value=\"1\"/>");
        fprintf(w->out, "</object>\n");
    }
}

/* MB/s from end to end. A link of an unknown generation counts as 1 MB/s, so that it is there; its
 * GPU has no NCCL_INFO_LINK. false: none of that kind. */
static bool fill_matrix(const struct nccl_writer *w, bool xgmi, double *mb_s) {
    bool any = false;
    for (size_t i = 0; i < w->system->n_links; i++) {
        const struct nccl_link *link = &w->system->links[i];
        const struct nccl_pci *gpu = &w->system->pcis[link->from];
        const int from = find_end(w, &gpu->id), to = find_end(w, &link->to);
        if (link->xgmi != xgmi || from < 0 || to < 0)
            continue;
        const double sum = link->links * (gpu->link_mb_s > 0 ? gpu->link_mb_s : 1);
        mb_s[(size_t)from * w->n_ends + (size_t)to] += sum;
        if (link->into_switch)
            mb_s[(size_t)to * w->n_ends + (size_t)from] += sum;
        any = true;
    }
    return any;
}

static void put_number(FILE *out, const char *element, const char *text) {
    fprintf(out, "<%s length=\"%zu\">%s</%s>\n", element, strlen(text), text, element);
}

static enum status put_matrix(struct nccl_writer *w, const char *name, bool xgmi) {
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

enum status nccl_put_matrices(struct nccl_writer *w) {
    const enum status st = put_matrix(w, "NVLinkBandwidth", false);
    return st ? st : put_matrix(w, "XGMIBandwidth", true);
}
