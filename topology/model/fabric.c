#include "topology/model/fabric.h"

#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/pcie.h"
#include "topology/sources/nccl.h"

static bool is_nvswitch(hwloc_obj_t obj) {
    if (obj->subtype && strcmp(obj->subtype, "NVSwitch") == 0)
        return true;
    return obj->type == HWLOC_OBJ_PCI_DEVICE && obj->attr->pcidev.class_id == 0x0680 &&
           obj->attr->pcidev.vendor_id == 0x10de;
}

static int count_nvswitches(hwloc_topology_t topo) {
    int n = 0;
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(topo, pci)))
        n += is_nvswitch(pci) && !hwloc_obj_get_info_by_name(pci, NCCL_INFO_HIDDEN);
    return n;
}

static int row_of(const struct hwloc_distances_s *matrix, const struct io_device *device) {
    for (unsigned i = 0; i < matrix->nbobjs; i++) {
        const hwloc_obj_t obj = matrix->objs[i];
        if (obj && (obj == device->obj || obj->parent == device->obj))
            return (int)i;
    }
    return -1;
}

static uint64_t at(const struct hwloc_distances_s *matrix, int row, int col) {
    return matrix->values[(unsigned)row * matrix->nbobjs + (unsigned)col];
}

/* All of a GPU's links into NVSwitches, MB/s. */
static uint64_t into_switches(const struct hwloc_distances_s *matrix, int row) {
    uint64_t sum = 0;
    for (unsigned j = 0; j < matrix->nbobjs; j++)
        if (matrix->objs[j] && is_nvswitch(matrix->objs[j]))
            sum += at(matrix, row, (int)j);
    return sum;
}

static const struct gpu_model *model_of(const struct io_device *gpu) {
    return gpu_model_find(gpu->obj->attr->pcidev.vendor_id, gpu->obj->attr->pcidev.device_id);
}

/* MB/s of one NVLink: as the file or the model tells, else as hwloc counts: 20 GB/s (NVLink 1, at
 * most four) or 25 GB/s. NCCL topologies that lack the GPU's generation count links as 1 MB/s. */
static double rate_of(const struct machine *machine, const struct io_device *gpu, uint64_t mb_s) {
    const char *told = hwloc_obj_get_info_by_name(gpu->obj, NCCL_INFO_LINK);
    const struct gpu_model *model = model_of(gpu);
    if (told)
        return strtod(told, NULL);
    if (strcmp(machine->source, "nccl-xml") == 0)
        return 1;
    if (model && model->link_mb_s > 0)
        return model->link_mb_s;
    return mb_s % 25000 == 0 ? 25000 : 20000;
}

/* What one GPU of a pair has of links to the other and into switches. */
struct side {
    double direct, switched, rate; /* MB/s */
};

static struct side side_of(const struct machine *machine, const struct hwloc_distances_s *matrix,
                           int gpu, int row, int col) {
    const uint64_t direct = at(matrix, row, col), switched = into_switches(matrix, row);
    return (struct side){(double)direct, (double)switched,
                         rate_of(machine, &machine->gpus[gpu], direct + switched)};
}

/* Links of their own, and over switches as many as the narrower side has. */
static struct fabric_link nvlink(struct side a, struct side b) {
    const double links =
        fmax(a.direct / a.rate, b.direct / b.rate) + fmin(a.switched / a.rate, b.switched / b.rate);
    const double mb_s = fmax(a.direct, b.direct) + fmin(a.switched, b.switched);
    const bool known = a.rate > 1 && b.rate > 1;
    return (struct fabric_link){LINK_NVLINK, (int)lround(fmin(links, 999)),
                                known ? mb_s / 1000 : 0};
}

static struct fabric_link xgmi(struct side a, struct side b) {
    const double mb_s = fmax(a.direct, b.direct);
    const bool known = a.rate > 1 && b.rate > 1;
    return (struct fabric_link){LINK_XGMI, mb_s > 0, known ? mb_s / 1000 : 0};
}

static const struct {
    const char *matrix;
    struct fabric_link (*link)(struct side a, struct side b);
} kinds[] = {{"NVLinkBandwidth", nvlink}, {"XGMIBandwidth", xgmi}};

/* Enters what one matrix tells; false if the machine has none of that name. */
static bool read_matrix(struct machine *machine, size_t kind) {
    struct hwloc_distances_s *matrix = NULL;
    unsigned n = 1;
    if (hwloc_distances_get_by_name(machine->topo, kinds[kind].matrix, &n, &matrix, 0) || n == 0)
        return false;
    const int gpus = machine->n_gpus;
    for (int a = 0; a < gpus; a++)
        for (int b = 0; b < gpus; b++) {
            const int row = row_of(matrix, &machine->gpus[a]);
            const int col = row_of(matrix, &machine->gpus[b]);
            if (a == b || row < 0 || col < 0)
                continue;
            const struct fabric_link link = kinds[kind].link(side_of(machine, matrix, a, row, col),
                                                             side_of(machine, matrix, b, col, row));
            if (link.links > 0)
                machine->fabric[a * gpus + b] = link;
        }
    hwloc_distances_release(machine->topo, matrix);
    return true;
}

static void infer_from_switches(struct machine *machine) {
    const int gpus = machine->n_gpus;
    for (int a = 0; a < gpus; a++)
        for (int b = 0; b < gpus; b++) {
            const struct gpu_model *x = model_of(&machine->gpus[a]);
            const struct gpu_model *y = model_of(&machine->gpus[b]);
            if (a == b || !x || !y || x->nvlinks == 0 || y->nvlinks == 0)
                continue;
            const struct gpu_model *less =
                x->nvlinks * x->link_mb_s < y->nvlinks * y->link_mb_s ? x : y;
            machine->fabric[a * gpus + b] = (struct fabric_link){
                LINK_NVLINK, less->nvlinks, less->nvlinks * less->link_mb_s / 1000};
        }
}

/* A machine whose links nobody told hwloc of looks slower than it is. What NCCL dumped tells all
 * links of a <gpu>, which has an OS device below it; in templates for virtual machines there is
 * none, since NCCL finds GPUs out as it runs. */
static void note_missing(struct machine *machine) {
    const bool nccl = strcmp(machine->source, "nccl-xml") == 0;
    bool may = false, amd = true;
    for (int i = 0; i < machine->n_gpus; i++) {
        const hwloc_obj_t obj = machine->gpus[i].obj;
        const struct gpu_model *model = model_of(&machine->gpus[i]);
        may |= nccl ? !obj->io_first_child : model && model->link_mb_s > 0;
        amd &= obj->attr->pcidev.vendor_id == 0x1002;
    }
    const size_t used = strlen(machine->note);
    if (may && machine->n_gpus > 1)
        snprintf(machine->note + used, sizeof machine->note - used,
                 "%sit lists no %s, which its GPUs may have: their PCI paths are shown",
                 used ? "; " : "", amd ? "XGMI links" : "NVLinks");
}

enum status fabric_find(struct machine *machine) {
    const size_t gpus = (size_t)machine->n_gpus;
    machine->fabric = calloc(gpus * gpus + 1, sizeof *machine->fabric);
    if (!machine->fabric)
        return fail(ST_ENV, "out of memory for the links of %zu GPUs", gpus);
    machine->n_nvswitches = count_nvswitches(machine->topo);
    bool any = false;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        any |= read_matrix(machine, kind);
    if (!any && machine->n_nvswitches > 0)
        infer_from_switches(machine);
    else if (!any)
        note_missing(machine);
    return ST_OK;
}
