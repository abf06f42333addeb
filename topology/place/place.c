#include "topology/place/place.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "topology/model/walk.h"

_Static_assert(sizeof(struct place) == 8 + PLACE_MAX_CPUS / 8 + 4 * PLACE_LEVELS + 4 + 65 + 255,
               "padding would travel uninitialised");

/* Each level with the class of two ranks that it covers, from near to far. */
static const struct level {
    hwloc_obj_type_t type;
    enum link_class class;
} levels[PLACE_LEVELS] = {
    [PLACE_CORE] = {HWLOC_OBJ_CORE, LINK_SAME_CORE},
    [PLACE_L2] = {HWLOC_OBJ_L2CACHE, LINK_SHARED_L2},
    [PLACE_L3] = {HWLOC_OBJ_L3CACHE, LINK_SHARED_L3},
    [PLACE_NUMA] = {HWLOC_OBJ_NUMANODE, LINK_SAME_NUMA},
    [PLACE_PACKAGE] = {HWLOC_OBJ_PACKAGE, LINK_SAME_PACKAGE},
};

/* The number that means the same to every rank of a host. complete_cpuset holds PUs that this
 * process may not use, too. */
static int os_number(hwloc_obj_t obj) {
    return obj->type == HWLOC_OBJ_NUMANODE ? (int)obj->os_index
                                           : hwloc_bitmap_first(obj->complete_cpuset);
}

static int32_t covering(const struct machine *machine, enum place_level level,
                        hwloc_const_bitmap_t cpus) {
    const int depth = level == PLACE_CORE ? walk_core_depth(machine)
                                          : hwloc_get_type_depth(machine->topo, levels[level].type);
    hwloc_obj_t obj = NULL;
    while ((obj = hwloc_get_next_obj_by_depth(machine->topo, depth, obj)))
        if (hwloc_bitmap_isincluded(cpus, obj->cpuset))
            return os_number(obj);
    return -1;
}

static void list_cpus(hwloc_const_bitmap_t cpus, char *list, size_t n) {
    static const char more[] = "...";
    if (hwloc_bitmap_list_snprintf(list, n, cpus) < (int)n)
        return;
    list[n - sizeof more] = '\0';
    char *comma = strrchr(list, ',');
    memcpy(comma ? comma + 1 : list, more, sizeof more);
}

static enum status place_on(const struct machine *machine, hwloc_const_bitmap_t cpus,
                            struct place *place) {
    list_cpus(cpus, place->cpus, sizeof place->cpus);
    for (int level = 0; level < PLACE_LEVELS; level++)
        place->within[level] =
            hwloc_bitmap_iszero(cpus) ? -1 : covering(machine, (enum place_level)level, cpus);
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_depth(machine->topo, walk_core_depth(machine), core))) {
        const int id = os_number(core);
        if (!hwloc_bitmap_intersects(core->cpuset, cpus))
            continue;
        if (id >= PLACE_MAX_CPUS)
            return fail(ST_USAGE, "cannot seat a rank on processor %d: places end at %d", id,
                        PLACE_MAX_CPUS - 1);
        place->cores[id / 64] |= UINT64_C(1) << (id % 64);
    }
    return ST_OK;
}

/* "" where there is none: the host name then stands alone. */
static void boot_id(char *id, int n) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(id, n, file))
        id[0] = '\0';
    if (file)
        fclose(file);
}

uint64_t place_host_key(void) {
    char host[65] = "", boot[64] = "";
    gethostname(host, sizeof host - 1);
    boot_id(boot, sizeof boot);
    return text_hash(text_hash(TEXT_HASH_START, host), boot);
}

enum status place_self(const struct machine *machine, struct place *place) {
    *place = (struct place){0};
    if (!machine->native)
        return fail(ST_USAGE, "this process does not run on %s; use the source hwloc",
                    machine->name);
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    if (!cpus)
        return fail(ST_ENV, "out of memory for a set of processors");
    /* Where a binding cannot be read, none can have been set. */
    if (hwloc_get_cpubind(machine->topo, cpus, HWLOC_CPUBIND_THREAD))
        hwloc_bitmap_copy(cpus, machine->allowed);
    hwloc_bitmap_and(cpus, cpus, hwloc_topology_get_topology_cpuset(machine->topo));

    text_copy(place->host, sizeof place->host, host);
    place->host_key = place_host_key();
    place->pid = (int32_t)getpid();
    const enum status st = place_on(machine, cpus, place);
    hwloc_bitmap_free(cpus);
    return st;
}

enum status place_at(const struct machine *machine, const struct hwloc_bitmap_s *cpus,
                     const char *host_name, struct place *place) {
    *place = (struct place){0};
    text_copy(place->host, sizeof place->host, host_name);
    place->host_key = text_hash(TEXT_HASH_START, host_name);
    return place_on(machine, cpus, place);
}

enum link_class place_link(const struct place *a, const struct place *b) {
    if (a->host_key != b->host_key)
        return LINK_NETWORK;
    for (int level = 0; level < PLACE_LEVELS; level++)
        if (a->within[level] >= 0 && a->within[level] == b->within[level])
            return levels[level].class;
    return LINK_CROSS_PACKAGE;
}

int places_sharing(const struct place *places, int n, int of, int *index) {
    const struct place *mine = &places[of];
    int sharing = 0;
    for (int i = 0; i < n; i++) {
        if (i == of)
            *index = sharing;
        sharing += places[i].host_key == mine->host_key &&
                   memcmp(places[i].cores, mine->cores, sizeof mine->cores) == 0;
    }
    return sharing;
}

/* Ranks being seated on cores, none with more than capacity. */
struct seating {
    const struct place *places;
    int n, capacity;
    int *core;                 /* [n] of each rank, -1 if it has none yet */
    int load[PLACE_MAX_CPUS];  /* ranks on each core */
    bool seen[PLACE_MAX_CPUS]; /* cores tried in this search */
};

/* Seats a rank, moving others if need be: an augmenting path of bipartite matching, where a core
 * matches up to capacity ranks. Depth is at most the number of cores. */
static bool seat(struct seating *s, int rank) {
    for (int core = 0; core < PLACE_MAX_CPUS; core++) {
        const bool may = s->places[rank].cores[core / 64] >> (core % 64) & 1;
        if (!may || s->seen[core])
            continue;
        s->seen[core] = true;
        bool room = s->load[core] < s->capacity;
        for (int other = 0; other < s->n && !room; other++)
            if (s->core[other] == core && seat(s, other)) {
                s->load[core]--;
                room = true;
            }
        if (!room)
            continue;
        s->load[core]++;
        s->core[rank] = core;
        return true;
    }
    return false;
}

static bool has_cores(const struct place *place) {
    for (int w = 0; w < PLACE_MAX_CPUS / 64; w++)
        if (place->cores[w])
            return true;
    return false;
}

int places_ranks_per_core(const struct place *places, int n, int of) {
    struct seating s = {.places = places, .n = n, .capacity = 1};
    s.core = malloc((size_t)n * sizeof *s.core);
    if (!s.core)
        return n; /* the safe answer: waits will yield */
    for (int rank = 0; rank < n; rank++)
        s.core[rank] = -1;
    for (int rank = 0; rank < n; rank++) {
        if (places[rank].host_key != places[of].host_key || !has_cores(&places[rank]))
            continue;
        memset(s.seen, 0, sizeof s.seen);
        while (!seat(&s, rank)) {
            s.capacity++;
            memset(s.seen, 0, sizeof s.seen);
        }
    }
    free(s.core);
    return s.capacity;
}

int places_crowd(const struct place *places, int n, int of) {
    if (places_ranks_per_core(places, n, of) == 1)
        return of;
    struct place all = places[of]; /* its cores: those of every rank that is known to belong */
    int lowest = of;
    bool grows = true;
    while (grows) {
        grows = false;
        for (int i = 0; i < n; i++) {
            bool meets = false, wider = false;
            for (int w = 0; w < PLACE_MAX_CPUS / 64; w++) {
                meets |= (places[i].cores[w] & all.cores[w]) != 0;
                wider |= (places[i].cores[w] & ~all.cores[w]) != 0;
            }
            if (!meets || places[i].host_key != all.host_key)
                continue;
            lowest = i < lowest ? i : lowest;
            grows |= wider;
            for (int w = 0; w < PLACE_MAX_CPUS / 64; w++)
                all.cores[w] |= places[i].cores[w];
        }
    }
    return lowest;
}
