#include "topology/print/devices.h"

#include <hwloc.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/print/aligned.h"

enum { MATRIX_DEVICES = 40 };

static void put_number(char *buf, size_t n, int number) {
    if (number >= 0)
        snprintf(buf, n, "%d", number);
    else
        snprintf(buf, n, "-");
}

static void put_rate(char *buf, size_t n, double gb_s) {
    if (gb_s > 0)
        snprintf(buf, n, "%.4g", gb_s);
    else
        snprintf(buf, n, "-");
}

static void list_nearest(const struct machine *machine, const struct io_device *gpu, char *buf,
                         size_t n) {
    size_t used = 0;
    for (int i = 0; i < machine->n_nics; i++) {
        const char *name = machine->nics[i].name;
        if (!device_nic_is_nearest(machine, gpu, &machine->nics[i]))
            continue;
        if (used + strlen(name) + sizeof ",,..." > n)
            name = "...";
        used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? "," : "", name);
        if (name[0] == '.')
            break;
    }
    if (!used)
        snprintf(buf, n, "-");
}

static void gpu_cell(const void *context, int row, int col, char *buf, size_t n) {
    static const char *const head[] = {"GPU",    "pci",   "numa",        "PCIe GB/s",
                                       "vendor", "model", "nearest NICs"};
    const struct machine *machine = context;
    const struct io_device *gpu = row ? &machine->gpus[row - 1] : NULL;
    if (!gpu)
        snprintf(buf, n, "%s", head[col]);
    else if (col == 2)
        put_number(buf, n, gpu->numa);
    else if (col == 3)
        put_rate(buf, n, gpu->hops[0].gb_s);
    else if (col == 6)
        list_nearest(machine, gpu, buf, n);
    else {
        const char *const text[] = {gpu->name, gpu->pci, "", "", gpu->vendor, gpu->model};
        snprintf(buf, n, "%s", text[col]);
    }
}

static void nic_cell(const void *context, int row, int col, char *buf, size_t n) {
    static const char *const head[] = {"NIC", "pci", "numa", "kind", "port GB/s", "model"};
    const struct machine *machine = context;
    const struct io_device *nic = row ? &machine->nics[row - 1] : NULL;
    if (!nic)
        snprintf(buf, n, "%s", head[col]);
    else if (col == 2)
        put_number(buf, n, nic->numa);
    else if (col == 4)
        put_rate(buf, n, nic->peak_gb_s);
    else {
        const char *const text[] = {
            nic->name, nic->pci[0] ? nic->pci : "-",     "", nic->nic_kind,
            "",        nic->model[0] ? nic->model : "-",
        };
        snprintf(buf, n, "%s", text[col]);
    }
}

static const struct io_device *device_at(const struct machine *machine, int i) {
    return i < machine->n_gpus ? &machine->gpus[i] : &machine->nics[i - machine->n_gpus];
}

/* As nvidia-smi calls them: GPU0, NIC0. */
static void put_label(const struct machine *machine, int i, char *buf, size_t n) {
    if (i < machine->n_gpus)
        snprintf(buf, n, "GPU%d", i);
    else
        snprintf(buf, n, "NIC%d", i - machine->n_gpus);
}

/* The processors and NUMA nodes nearest to a GPU, as lists; no processors that are only made up. */
static void put_affinity(const struct machine *machine, const struct io_device *device, bool numa,
                         char *buf, size_t n) {
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(machine->topo, device->obj);
    if (!numa && !hwloc_bitmap_intersects(near->cpuset, machine->allowed))
        snprintf(buf, n, "-");
    else if (hwloc_bitmap_list_snprintf(buf, n, numa ? near->nodeset : near->cpuset) >= (int)n)
        snprintf(buf, n, "%s", "...");
}

/* The devices of the matrix: a NIC may have very many virtual functions, and the table of GPUs
 * lists the nearest. */
static int matrix_size(const struct machine *machine) {
    const int all = machine->n_gpus + machine->n_nics;
    return all <= MATRIX_DEVICES ? all : machine->n_gpus;
}

static void matrix_cell(const void *context, int row, int col, char *buf, size_t n) {
    const struct machine *machine = context;
    const int size = matrix_size(machine);
    static const char *const head[] = {"CPU Affinity", "NUMA Affinity"};
    buf[0] = '\0';
    if (row == 0 && col > size)
        snprintf(buf, n, "%s", head[col - size - 1]);
    else if ((row == 0) != (col == 0))
        put_label(machine, row + col - 1, buf, n);
    else if (col > size && row <= machine->n_gpus)
        put_affinity(machine, device_at(machine, row - 1), col == size + 2, buf, n);
    else if (row > 0 && row == col)
        snprintf(buf, n, "X");
    else if (row > 0 && col <= size)
        snprintf(
            buf, n, "%s",
            device_link(machine, device_at(machine, row - 1), device_at(machine, col - 1)).smi);
}

/* Only the words that occur. */
static void print_legend(FILE *out, const struct machine *machine) {
    static const char *const words[][2] = {
        {"NV", "NV#   that many NVLinks together"},
        {"XG", "XGMI  links between AMD GPUs"},
        {"PI", "PIX   one PCIe switch at most"},
        {"PX", "PXB   several PCIe switches, no host bridge"},
        {"PH", "PHB   a PCIe host bridge"},
        {"NO", "NODE  two host bridges of one NUMA node"},
        {"SY", "SYS   two NUMA nodes, over what joins the processors"},
    };
    const int size = matrix_size(machine);
    fprintf(out, "\n");
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        bool seen = false;
        for (int i = 0; i < size * size && !seen; i++) {
            const struct io_device *a = device_at(machine, i / size);
            const struct io_device *b = device_at(machine, i % size);
            seen = a != b && device_link(machine, a, b).smi[0] == words[w][0][0] &&
                   device_link(machine, a, b).smi[1] == words[w][0][1];
        }
        if (seen)
            fprintf(out, "  %s\n", words[w][1]);
    }
    for (int i = machine->n_gpus; i < size; i++)
        fprintf(out, "  NIC%d  %s\n", i - machine->n_gpus, device_at(machine, i)->name);
}

void print_devices(FILE *out, const struct machine *machine) {
    if (machine->n_gpus) {
        fprintf(out, "\n");
        aligned_print(out, machine->n_gpus + 1, 7, gpu_cell, machine);
    }
    if (machine->n_nics) {
        fprintf(out, "\n");
        aligned_print(out, machine->n_nics + 1, 6, nic_cell, machine);
    }
    const int size = matrix_size(machine);
    if (!machine->n_gpus || size < 2)
        return;
    fprintf(out, "\nPaths between devices\n");
    aligned_print(out, size + 1, size + 3, matrix_cell, machine);
    print_legend(out, machine);
}
