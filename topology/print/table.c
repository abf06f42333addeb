#include <inttypes.h>
#include <stdio.h>

#include "topology/model/machine.h"
#include "topology/place/place.h"
#include "topology/print/aligned.h"
#include "topology/print/devices.h"
#include "topology/print/print.h"

enum { MATRIX_RANKS = 16 };

struct view {
    const struct machine *machine;
    const struct place *places;
    int n_places;
};

/* Short words for a matrix of ranks, each with what it stands for. */
static const char *const short_names[LINK_CLASSES] = {
    [LINK_SAME_CORE] = "core",      [LINK_SHARED_L2] = "L2",      [LINK_SHARED_L3] = "L3",
    [LINK_SAME_NUMA] = "numa",      [LINK_SAME_PACKAGE] = "pkg",  [LINK_CROSS_PACKAGE] = "cross",
    [LINK_NVLINK] = "nvlink",       [LINK_XGMI] = "xgmi",         [LINK_PCIE_SWITCH] = "pcie-sw",
    [LINK_PCIE_HOST] = "pcie-host", [LINK_PCIE_NODE] = "pcie-nd", [LINK_SYSTEM] = "sys",
    [LINK_NETWORK] = "net",
};

static void put_bytes(char *buf, size_t n, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    snprintf(buf, n, "%.4g %s", value, units[unit]);
}

static void put_number(char *buf, size_t n, int number) {
    if (number >= 0)
        snprintf(buf, n, "%d", number);
    else
        snprintf(buf, n, "-");
}

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

/* "2 packages, ", or nothing where the source does not tell. */
static void print_count(FILE *out, int n, const char *what) {
    if (n > 0)
        fprintf(out, "%d %s%s, ", n, what, plural(n));
}

static void print_machine(FILE *out, const struct machine *m) {
    char bytes[32];
    put_bytes(bytes, sizeof bytes, m->memory_bytes);
    fprintf(out, "Machine: %s (%s)\n  ", m->name, m->source);
    print_count(out, m->packages, "package");
    print_count(out, m->numa_nodes, "NUMA node");
    print_count(out, m->cores_known ? m->cores : 0, "core");
    if (m->pus_known)
        fprintf(out, "%d hardware thread%s", m->pus, plural(m->pus));
    else
        fprintf(out, "an unknown number of hardware threads");
    if (m->memory_bytes > 0)
        fprintf(out, ", %s memory", bytes);
    if (m->n_nvswitches > 0)
        fprintf(out, ", %d NVSwitch%s", m->n_nvswitches, m->n_nvswitches == 1 ? "" : "es");
    fprintf(out, "\n");
    if (m->note[0])
        fprintf(out, "  note: %s\n", m->note);
    if (m->cpu_quota > 0 && m->cpu_quota < m->allowed_cores)
        fprintf(out, "  the control group grants %d CPU%s' worth of time\n", m->cpu_quota,
                plural(m->cpu_quota));
    if (m->allowed_cores != m->cores + m->unseen_cores && m->pus_known)
        fprintf(out, "  %d of %d cores allowed\n", m->allowed_cores, m->cores + m->unseen_cores);
    if (m->unseen_pus > 0 && m->unseen_cores == 0)
        fprintf(out, "  %d hardware thread%s more, offline or not allowed\n", m->unseen_pus,
                plural(m->unseen_pus));
    for (int i = 0; i < m->n_caches; i++) {
        const struct machine_cache *c = &m->caches[i];
        put_bytes(bytes, sizeof bytes, c->bytes);
        fprintf(out, "  L%d: %d x %s, each for %d core%s\n", c->level, c->count, bytes, c->cores,
                plural(c->cores));
    }
}

static void rank_cell(const void *context, int row, int col, char *buf, size_t n) {
    static const char *const head[] = {"rank", "host", "pid", "numa", "cpus"};
    const struct place *place = row ? &((const struct view *)context)->places[row - 1] : NULL;
    if (!place)
        snprintf(buf, n, "%s", head[col]);
    else if (col == 1 || col == 4)
        snprintf(buf, n, "%s", col == 1 ? place->host : place->cpus);
    else
        put_number(buf, n,
                   (const int[]){row - 1, 0, place->pid ? place->pid : -1,
                                 place->within[PLACE_NUMA]}[col]);
}

static void rank_link_cell(const void *context, int row, int col, char *buf, size_t n) {
    const struct view *view = context;
    if (row == 0 && col == 0)
        buf[0] = '\0';
    else if (row == 0 || col == 0)
        snprintf(buf, n, "%d", row + col - 1);
    else if (row == col)
        snprintf(buf, n, "X");
    else
        snprintf(buf, n, "%s",
                 short_names[place_link(&view->places[row - 1], &view->places[col - 1])]);
}

static void print_link_counts(FILE *out, const struct view *view) {
    long count[LINK_CLASSES] = {0};
    for (int i = 0; i < view->n_places; i++)
        for (int j = i + 1; j < view->n_places; j++)
            count[place_link(&view->places[i], &view->places[j])]++;
    for (int class = 0; class < LINK_CLASSES; class ++)
        if (count[class])
            fprintf(out, "  %-13s %ld pair%s\n", link_class_name((enum link_class) class),
                    count[class], count[class] == 1 ? "" : "s");
}

static void print_ranks(FILE *out, const struct view *view) {
    if (!view->n_places)
        return;
    fprintf(out, "\n");
    aligned_print(out, view->n_places + 1, 5, rank_cell, view);
    if (view->n_places < 2)
        return;
    fprintf(out, "\nNearest level that holds both ranks\n");
    if (view->n_places <= MATRIX_RANKS)
        aligned_print(out, view->n_places + 1, view->n_places + 1, rank_link_cell, view);
    print_link_counts(out, view);
}

void topology_table(FILE *out, const struct machine *machine, const struct place *places,
                    int n_places) {
    const struct view view = {machine, places, n_places};
    print_machine(out, machine);
    print_devices(out, machine);
    print_ranks(out, &view);
}
