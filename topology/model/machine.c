#include "topology/model/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"
#include "topology/model/fabric.h"
#include "topology/model/walk.h"
#include "topology/sources/nccl.h"
#include "topology/sources/sources.h"
#include "topology/sources/system.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* Adds a cache to the row of its likes, or to a new row. */
static enum status count_cache(struct machine *machine, hwloc_obj_t obj) {
    if (hwloc_bitmap_iszero(obj->cpuset))
        return ST_OK; /* of processors that a file leaves out */
    const struct machine_cache cache = {
        .level = (int)obj->attr->cache.depth,
        .bytes = obj->attr->cache.size,
        .count = 1,
        .cores = (int)hwloc_get_nbobjs_inside_cpuset_by_depth(machine->topo, obj->cpuset,
                                                              walk_core_depth(machine)),
        .pus = hwloc_bitmap_weight(obj->cpuset),
    };
    for (int i = 0; i < machine->n_caches; i++) {
        struct machine_cache *row = &machine->caches[i];
        if (row->level == cache.level && row->bytes == cache.bytes && row->cores == cache.cores &&
            row->pus == cache.pus) {
            row->count++;
            return ST_OK;
        }
    }
    struct machine_cache *grown =
        realloc(machine->caches, ((size_t)machine->n_caches + 1) * sizeof *grown);
    if (!grown)
        return fail(ST_ENV, "out of memory for %d kinds of caches", machine->n_caches);
    machine->caches = grown;
    machine->caches[machine->n_caches++] = cache;
    return ST_OK;
}

static enum status count_caches(struct machine *machine) {
    enum status st = ST_OK;
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L5CACHE};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        hwloc_obj_t obj = NULL;
        while (!st && (obj = hwloc_get_next_obj_by_type(machine->topo, types[t], obj)))
            st = count_cache(machine, obj);
    }
    return st;
}

static void name_machine(struct machine *machine, const char *source, const char *input) {
    hwloc_obj_t root = hwloc_get_root_obj(machine->topo);
    hwloc_obj_t package = hwloc_get_obj_by_type(machine->topo, HWLOC_OBJ_PACKAGE, 0);
    const char *cpu = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!cpu)
        cpu = hwloc_obj_get_info_by_name(root, "CPUModel");
    text_copy(machine->cpu, sizeof machine->cpu, cpu);

    char product[64], count[16] = "";
    if (machine->packages > 0)
        snprintf(count, sizeof count, "%d x ", machine->packages);
    text_copy(product, sizeof product, hwloc_obj_get_info_by_name(root, "DMIProductName"));
    if (strcmp(source, "synthetic") == 0)
        text_copy(machine->name, sizeof machine->name, input);
    else
        snprintf(machine->name, sizeof machine->name, "%s%s%s%s", product, *product ? ", " : "",
                 count, *machine->cpu ? machine->cpu : "unknown processor");
}

/* Takes out stand-ins for processors that an NCCL topology does not tell (NCCL_INFO_MADE_UP). */
static void forget_made_up(struct machine *machine) {
    hwloc_obj_t root = hwloc_get_root_obj(machine->topo);
    const char *list = hwloc_obj_get_info_by_name(root, NCCL_INFO_MADE_UP);
    hwloc_bitmap_t made_up = list ? hwloc_bitmap_alloc() : NULL;
    machine->pus_known = !list;
    if (made_up && hwloc_bitmap_list_sscanf(made_up, list) == 0)
        hwloc_bitmap_andnot(machine->allowed, machine->allowed, made_up);
    hwloc_bitmap_free(made_up);
}

/* A control group may allow less than the machine has, and a launcher or taskset may have bound
 * this process. */
static enum status find_allowed(struct machine *machine) {
    machine->allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine->topo));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (!machine->allowed || !bound) {
        hwloc_bitmap_free(bound);
        return fail(ST_ENV, "out of memory for a set of processors");
    }
    if (machine->native && !hwloc_get_cpubind(machine->topo, bound, HWLOC_CPUBIND_THREAD) &&
        hwloc_bitmap_intersects(bound, machine->allowed))
        hwloc_bitmap_and(machine->allowed, machine->allowed, bound);
    hwloc_bitmap_free(bound);
    forget_made_up(machine);

    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_depth(machine->topo, walk_core_depth(machine), core)))
        machine->allowed_cores += hwloc_bitmap_intersects(core->cpuset, machine->allowed) ? 1 : 0;
    return ST_OK;
}

/* What is only known to be there by the processors of the whole machine (complete_cpuset). They
 * make cores like those seen, unless they may be the second threads of these, switched off. */
static void count_unseen(struct machine *machine) {
    const int cores = machine->cores, threads = cores > 0 ? machine->pus / cores : 0;
    const hwloc_obj_t root = hwloc_get_root_obj(machine->topo);
    const int unseen = hwloc_bitmap_weight(root->complete_cpuset) - machine->pus;
    machine->unseen_pus = unseen > 0 ? unseen : 0;
    if (unseen <= 0 || threads == 0 || unseen % threads || (threads == 1 && unseen % cores == 0))
        return;
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_depth(machine->topo, walk_core_depth(machine), core)))
        if (hwloc_bitmap_weight(core->cpuset) != threads)
            return;
    machine->unseen_cores = unseen / threads;
}

static uint64_t physical_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static enum status summarise(struct machine *machine, const char *input) {
    hwloc_topology_t topo = machine->topo;
    machine->native = hwloc_topology_is_thissystem(topo);
    machine->packages = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PACKAGE);
    machine->numa_nodes = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_NUMANODE);
    machine->cores = (int)hwloc_get_nbobjs_by_depth(topo, walk_core_depth(machine));
    machine->cores_known = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE) > 0;
    machine->pus = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU);
    count_unseen(machine);
    machine->memory_bytes = hwloc_get_root_obj(topo)->total_memory;
    /* Nodes of virtual machines whose memory was grown later still say what they had at boot. */
    if (machine->native)
        machine->memory_bytes = larger(machine->memory_bytes, physical_memory());
    if (machine->native)
        machine->cpu_quota = system_cpu_quota("/sys/fs/cgroup", "/proc/self/cgroup");
    name_machine(machine, machine->source, input);
    enum status st = count_caches(machine);
    if (!st)
        st = find_allowed(machine);
    if (!st)
        st = devices_find(machine);
    return st ? st : fabric_find(machine);
}

/* libpciaccess never frees its list of devices, and hwloc unloads that plugin before
 * LeakSanitizer could name it in a suppression. The topology itself was allocated before, so that
 * forgetting machine_free() still shows. */
static int load_topology(hwloc_topology_t topo) {
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
    const int error = hwloc_topology_load(topo);
#ifdef __SANITIZE_ADDRESS__
    __lsan_enable();
#endif
    return error;
}

/* hwloc believes XML: a set of processors that contradicts another makes it assert, crash, loop, or
 * build a tree that crashes its readers. So a child tries first, with hwloc's own check of a
 * topology.
 */
static bool survives(hwloc_topology_t topo) {
    const rlim_t seconds = 30; /* of a processor; large machines take well below one */
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        if (load_topology(topo))
            _exit(0); /* hwloc refuses it, which the parent will see too */
        hwloc_topology_check(topo);
        const int bottom = hwloc_topology_get_depth(topo) - 1;
        _exit(hwloc_get_depth_type(topo, bottom) == HWLOC_OBJ_PU ? 0 : 1);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* hwloc writes banners on what it finds odd about a machine; 3 has another word for it than 2. */
static void hush_hwloc(void) {
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    setenv("HWLOC_SHOW_ERRORS", "none", 0);
}

enum status machine_load(struct machine *machine, const char *source_name, const char *input) {
    *machine = (struct machine){0};
    hush_hwloc();
    const struct machine_source *source = source_find(source_name);
    if (!source)
        return ST_USAGE;
    if (strcmp(source->name, "file") == 0)
        source = source_of_file(input ? input : "");
    if (!source)
        return ST_USAGE;
    machine->source = source->name;
    if (hwloc_topology_init(&machine->topo)) {
        machine->topo = NULL;
        return fail(ST_ENV, "cannot start hwloc: %s", strerror(errno));
    }
    /* Cores are those of the machine, whatever a control group leaves of them. */
    hwloc_topology_set_flags(machine->topo, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(machine->topo, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    /* NVSwitches are not important to hwloc. */
    hwloc_topology_set_type_filter(machine->topo, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!input)
        input = "";
    const enum status status =
        source->configure(machine->topo, input, machine->note, sizeof machine->note);
    if (status)
        return status;
    if ((source->untrusted && !survives(machine->topo)) || load_topology(machine->topo))
        return fail(source->failure, "hwloc cannot load %s: %s", *input ? input : "this machine",
                    source->remedy);
    return summarise(machine, input);
}

void machine_free(struct machine *machine) {
    free(machine->caches);
    devices_free(machine);
    free(machine->fabric);
    hwloc_bitmap_free(machine->allowed);
    if (machine->topo)
        hwloc_topology_destroy(machine->topo);
    *machine = (struct machine){0};
}

int machine_threads(const struct machine *machine, int ranks) {
    const int quota = machine->cpu_quota, cores = machine->allowed_cores;
    const int threads = (quota > 0 && quota < cores ? quota : cores) / ranks;
    return threads > 1 ? threads : 1;
}

size_t machine_cache_bytes(const struct machine *machine) {
    const size_t unknown = (size_t)32 << 20;
    int level = 0;
    size_t bytes = 0;
    for (int i = 0; i < machine->n_caches; i++) {
        const struct machine_cache *c = &machine->caches[i];
        if (c->level < level)
            continue;
        bytes = (c->level > level ? 0 : bytes) + c->bytes * (size_t)c->count;
        level = c->level;
    }
    return bytes > 0 ? bytes : unknown;
}

enum status machine_topology_xml(const struct machine *machine, const char *path) {
    errno = 0;
    if (hwloc_topology_export_xml(machine->topo, path, 0))
        return fail(ST_ENV, "cannot write %s: %s", path, errno ? strerror(errno) : "hwloc failed");
    return ST_OK;
}

void machine_fingerprint(const struct machine *machine, char *buf, size_t n) {
    char shape[64], line[96];
    snprintf(shape, sizeof shape, "%dp%dn%dc%dt", machine->packages, machine->numa_nodes,
             machine->cores, machine->pus);
    uint64_t hash = text_hash(text_hash(TEXT_HASH_START, shape), machine->cpu);
    for (int i = 0; i < machine->n_caches; i++) {
        const struct machine_cache *c = &machine->caches[i];
        snprintf(line, sizeof line, "L%d %" PRIu64 " %d %d %d", c->level, c->bytes, c->count,
                 c->cores, c->pus);
        hash = text_hash(hash, line);
    }
    for (int i = 0; i < machine->n_gpus; i++)
        hash = text_hash(hash, machine->gpus[i].model);
    snprintf(buf, n, "%s-%016" PRIx64, shape, hash);
}
