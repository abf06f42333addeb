#include <hwloc.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/model/machine.h"
#include "topology/model/walk.h"
#include "topology/place/place.h"
#include "topology/print/picture/box.h"
#include "topology/print/picture/parts.h"

enum {
    PACKAGE = 0xf4f4f4,
    NUMA = 0xe4edf6,
    CACHE = 0xd2e2f2,
    CORE = 0xffffff,
    RANK = 0xffd98c,
    GPU = 0xcfe8c5,
    NIC = 0xe6d5ee,
    HOST = 0xfff3dc,
    MAX_HOSTS = 48,
};

struct view {
    const struct machine *machine;
    const struct place *places; /* [n]; those of the first one's host are shown on cores */
    int n;
};

static const char *bytes_text(uint64_t bytes, char *buf, size_t n) {
    if (bytes >= UINT64_C(1) << 30)
        snprintf(buf, n, "%.4g GiB", (double)bytes / (1 << 30));
    else if (bytes >= UINT64_C(1) << 20)
        snprintf(buf, n, "%.4g MiB", (double)bytes / (1 << 20));
    else
        snprintf(buf, n, "%" PRIu64 " KiB", bytes >> 10);
    return buf;
}

static bool is_here(const struct view *v, int rank) {
    return v->places[rank].host_key == v->places[0].host_key;
}

static bool on_core(const struct place *place, int id) {
    return id >= 0 && id < PLACE_MAX_CPUS && place->cores[id / 64] >> (id % 64) & 1;
}

/* "r3", "r3,11", "r3+2": the ranks bound to a core; "" if none. */
static void ranks_on(const struct view *v, hwloc_obj_t core, char *buf, size_t n) {
    const int id = hwloc_bitmap_first(core->complete_cpuset);
    int first = -1, second = -1, count = 0;
    for (int rank = 0; rank < v->n; rank++) {
        if (!is_here(v, rank) || !on_core(&v->places[rank], id))
            continue;
        if (count == 0)
            first = rank;
        else if (count == 1)
            second = rank;
        count++;
    }
    buf[0] = '\0';
    if (count == 1)
        snprintf(buf, n, "r%d", first);
    else if (count == 2)
        snprintf(buf, n, "r%d,%d", first, second);
    else if (count > 2)
        snprintf(buf, n, "r%d+%d", first, count - 1);
}

static enum status add_cores(const struct view *v, struct box *parent,
                             hwloc_const_bitmap_t within) {
    hwloc_obj_t core = NULL;
    while (
        (core = hwloc_get_next_obj_by_depth(v->machine->topo, walk_core_depth(v->machine), core))) {
        if (!hwloc_bitmap_intersects(core->cpuset, within))
            continue;
        struct box *box = box_new(parent, CORE, 1);
        if (!box)
            return ST_ENV;
        snprintf(box->title, sizeof box->title, "%u", core->logical_index);
        if (v->n > 0)
            ranks_on(v, core, box->second, sizeof box->second);
        if (box->second[0])
            box->fill = RANK;
    }
    return ST_OK;
}

/* Rows of eight, or of sixteen where there are many. */
static int core_columns(const struct view *v, hwloc_const_bitmap_t within) {
    const int n = (int)hwloc_get_nbobjs_inside_cpuset_by_depth(v->machine->topo, within,
                                                               walk_core_depth(v->machine));
    return n < 1 ? 1 : n <= 8 ? n : n <= 32 ? 8 : 16;
}

static enum status add_caches(const struct view *v, struct box *parent,
                              hwloc_const_bitmap_t within) {
    struct box *group = box_new(parent, 0, 4);
    hwloc_obj_t cache = NULL;
    char bytes[32];
    if (!group)
        return ST_ENV;
    group->bare = true;
    while ((cache = hwloc_get_next_obj_by_type(v->machine->topo, HWLOC_OBJ_L3CACHE, cache))) {
        if (!hwloc_bitmap_isincluded(cache->cpuset, within))
            continue;
        struct box *box = box_new(group, CACHE, core_columns(v, cache->cpuset));
        if (!box)
            return ST_ENV;
        snprintf(box->title, sizeof box->title, "L3 %s",
                 bytes_text(cache->attr->cache.size, bytes, sizeof bytes));
        if (add_cores(v, box, cache->cpuset))
            return ST_ENV;
    }
    if (group->n_children > 0)
        return ST_OK;
    group->cols = core_columns(v, within);
    return add_cores(v, group, within);
}

static bool hangs_on(const struct machine *machine, const struct io_device *device,
                     hwloc_const_bitmap_t within) {
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(machine->topo, device->obj);
    return within ? near->parent && hwloc_bitmap_isincluded(near->cpuset, within) : !near->parent;
}

static enum status add_device(struct box *group, const struct io_device *device) {
    struct box *box = box_new(group, device->kind == DEVICE_GPU ? GPU : NIC, 1);
    if (!box)
        return ST_ENV;
    if (device->peak_gb_s > 0)
        snprintf(box->title, sizeof box->title, "%s  %.4g GB/s", device->name, device->peak_gb_s);
    else
        snprintf(box->title, sizeof box->title, "%s", device->name);
    snprintf(box->second, sizeof box->second, "%.31s", device->model);
    return ST_OK;
}

/* The devices that hang on these processors; with NULL those of which no place is told. done marks
 * those drawn, GPUs before NICs. */
static enum status add_devices(const struct view *v, struct box *parent,
                               hwloc_const_bitmap_t within, bool *done) {
    const struct machine *m = v->machine;
    struct box *group = NULL;
    for (int i = 0; i < m->n_gpus + m->n_nics; i++) {
        const struct io_device *device = i < m->n_gpus ? &m->gpus[i] : &m->nics[i - m->n_gpus];
        if (done[i] || !hangs_on(m, device, within))
            continue;
        done[i] = true;
        if (!group) {
            group = box_new(parent, 0, 2);
            if (!group)
                return ST_ENV;
            group->bare = true;
        }
        if (add_device(group, device))
            return ST_ENV;
    }
    return ST_OK;
}

/* A lone node has what the machine has, which may be more than the node itself says
 * (machine->memory_bytes). */
static uint64_t memory_of(const struct machine *machine, hwloc_obj_t node) {
    return machine->numa_nodes == 1 ? machine->memory_bytes : node->attr->numanode.local_memory;
}

/* NUMA nodes whose processors lie within; false in *any if there are none, since the node is larger
 * than that. */
static enum status add_nodes(const struct view *v, struct box *parent, hwloc_const_bitmap_t within,
                             bool *done, bool *any) {
    hwloc_obj_t node = NULL;
    char bytes[32];
    *any = false;
    while ((node = hwloc_get_next_obj_by_type(v->machine->topo, HWLOC_OBJ_NUMANODE, node))) {
        if (hwloc_bitmap_iszero(node->cpuset) || !hwloc_bitmap_isincluded(node->cpuset, within))
            continue;
        struct box *box = box_new(parent, NUMA, 1);
        if (!box)
            return ST_ENV;
        *any = true;
        const uint64_t memory = memory_of(v->machine, node);
        snprintf(box->title, sizeof box->title, "NUMA node %u%s%s", node->os_index,
                 memory ? "  " : "", memory ? bytes_text(memory, bytes, sizeof bytes) : "");
        if (add_caches(v, box, node->cpuset) || add_devices(v, box, node->cpuset, done))
            return ST_ENV;
    }
    return ST_OK;
}

static enum status add_packages(const struct view *v, struct box *parent, bool *done) {
    hwloc_topology_t topo = v->machine->topo;
    hwloc_obj_t package = NULL;
    bool any;
    while ((package = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PACKAGE, package))) {
        struct box *box = box_new(parent, PACKAGE, 2);
        if (!box)
            return ST_ENV;
        snprintf(box->title, sizeof box->title, "package %u", package->logical_index);
        if (add_nodes(v, box, package->cpuset, done, &any))
            return ST_ENV;
        if (!any && (add_caches(v, box, package->cpuset)))
            return ST_ENV;
        if (add_devices(v, box, package->cpuset, done))
            return ST_ENV;
    }
    if (v->machine->packages > 0)
        return ST_OK;
    return add_nodes(v, parent, hwloc_topology_get_topology_cpuset(topo), done, &any);
}

/* "0-3,8": the ranks of a host; "..." where there is no room for more. */
static void ranks_of_host(const struct view *v, uint64_t host, char *buf, size_t n) {
    size_t used = 0;
    buf[0] = '\0';
    for (int rank = 0; rank < v->n; rank++) {
        if (v->places[rank].host_key != host)
            continue;
        int last = rank;
        while (last + 1 < v->n && v->places[last + 1].host_key == host)
            last++;
        const char *comma = used ? "," : "";
        if (n - used < 20) {
            snprintf(buf + used, n - used, "%s...", comma);
            return;
        }
        used += (size_t)(last > rank ? snprintf(buf + used, n - used, "%s%d-%d", comma, rank, last)
                                     : snprintf(buf + used, n - used, "%s%d", comma, rank));
        rank = last;
    }
}

static bool is_first_of_host(const struct view *v, int rank) {
    for (int i = 0; i < rank; i++)
        if (v->places[i].host_key == v->places[rank].host_key)
            return false;
    return true;
}

/* One box a host other than that which is drawn. */
static enum status add_hosts(const struct view *v, struct box *parent) {
    struct box *group = box_new(parent, 0, 6);
    int left_out = 0;
    char ranks[48];
    if (!group)
        return ST_ENV;
    group->bare = true;
    for (int rank = 1; rank < v->n; rank++) {
        if (is_here(v, rank) || !is_first_of_host(v, rank))
            continue;
        if (group->n_children == MAX_HOSTS) {
            left_out++;
            continue;
        }
        struct box *box = box_new(group, HOST, 1);
        if (!box)
            return ST_ENV;
        snprintf(box->title, sizeof box->title, "host %.40s", v->places[rank].host);
        ranks_of_host(v, v->places[rank].host_key, ranks, sizeof ranks);
        snprintf(box->second, sizeof box->second, "ranks %s", ranks);
    }
    if (left_out > 0)
        snprintf(group->title, sizeof group->title, "the first %d of %d other hosts", MAX_HOSTS,
                 MAX_HOSTS + left_out);
    return ST_OK;
}

static enum status build(const struct view *v, struct box *root, bool *done) {
    if (v->n > 0) {
        char ranks[40];
        ranks_of_host(v, v->places[0].host_key, ranks, sizeof ranks);
        snprintf(root->title, sizeof root->title, "host %.40s: rank%s %s", v->places[0].host,
                 strcmp(ranks, "0") == 0 ? "" : "s", ranks);
    }
    struct box *row = box_new(root, 0, 2);
    if (!row)
        return ST_ENV;
    row->bare = true;
    const enum status st = add_packages(v, row, done);
    if (st)
        return st;
    /* Those that hang on no package, and those of which nothing is told. */
    if (add_devices(v, root, hwloc_topology_get_topology_cpuset(v->machine->topo), done) ||
        add_devices(v, root, NULL, done))
        return ST_ENV;
    return add_hosts(v, root);
}

enum status picture_boxes(struct drawing *d, double x, double y, const struct machine *machine,
                          const struct place *places, int n) {
    const struct view view = {machine, places, n};
    struct box *root = box_new(NULL, 0, 1);
    bool *done = calloc((size_t)(machine->n_gpus + machine->n_nics + 1), sizeof *done);
    enum status st = root && done ? ST_OK : ST_ENV;
    if (st == ST_OK) {
        root->bare = true;
        st = build(&view, root, done);
    }
    if (st == ST_OK) {
        box_measure(root);
        box_draw(root, d, x, y);
    }
    box_free(root);
    free(done);
    return st == ST_ENV ? fail(ST_ENV, "out of memory for the picture") : st;
}
