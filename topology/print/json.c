#include <jansson.h>
#include <math.h>

#include "base/status.h"
#include "topology/model/machine.h"
#include "topology/place/place.h"
#include "topology/print/print.h"

static json_t *number_or_null(int number) {
    return number >= 0 ? json_integer(number) : json_null();
}

/* To a MB/s: what hwloc holds as float is no more exact. */
static json_t *rate_json(double gb_s) {
    return json_real(round(gb_s * 1000) / 1000);
}

static json_t *caches_json(const struct machine *machine) {
    json_t *array = json_array();
    for (int i = 0; i < machine->n_caches; i++) {
        const struct machine_cache *c = &machine->caches[i];
        json_array_append_new(array, json_pack("{s:i, s:I, s:i, s:i, s:i}", "level", c->level,
                                               "bytes", (json_int_t)c->bytes, "count", c->count,
                                               "cores", c->cores, "pus", c->pus));
    }
    return array;
}

static json_t *gpu_json(const struct machine *machine, const struct io_device *gpu) {
    json_t *nics = json_array();
    for (int i = 0; i < machine->n_nics; i++)
        if (device_nic_is_nearest(machine, gpu, &machine->nics[i]))
            json_array_append_new(nics, json_string(machine->nics[i].name));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", gpu->name, "pci", gpu->pci, "vendor",
                     gpu->vendor, "model", gpu->model, "numa", number_or_null(gpu->numa),
                     "nearest_nics", nics);
}

static json_t *gpus_json(const struct machine *machine) {
    json_t *array = json_array();
    for (int i = 0; i < machine->n_gpus; i++)
        json_array_append_new(array, gpu_json(machine, &machine->gpus[i]));
    return array;
}

static json_t *nics_json(const struct machine *machine) {
    json_t *array = json_array();
    for (int i = 0; i < machine->n_nics; i++) {
        const struct io_device *nic = &machine->nics[i];
        json_t *object = json_pack("{s:s, s:s?, s:s, s:o}", "name", nic->name, "pci",
                                   nic->pci[0] ? nic->pci : NULL, "kind", nic->nic_kind, "numa",
                                   number_or_null(nic->numa));
        if (nic->peak_gb_s > 0)
            json_object_set_new(object, "peak_gb_s", rate_json(nic->peak_gb_s));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *ranks_json(const struct place *places, int n) {
    json_t *array = json_array();
    for (int i = 0; i < n; i++) {
        const struct place *p = &places[i];
        json_array_append_new(array, json_pack("{s:i, s:s, s:s, s:o, s:n}", "rank", i, "host",
                                               p->host, "cpus", p->cpus, "numa",
                                               number_or_null(p->within[PLACE_NUMA]), "gpu"));
    }
    return array;
}

static json_t *device_link_json(const struct machine *machine, const struct io_device *a,
                                const struct io_device *b) {
    const struct device_link link = device_link(machine, a, b);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "a", a->name, "b", b->name, "class",
                               link_class_name(link.class), "smi", link.smi);
    if (link.peak_gb_s > 0)
        json_object_set_new(object, "peak_gb_s", rate_json(link.peak_gb_s));
    return object;
}

static void add_device_links(json_t *array, const struct machine *machine) {
    for (int i = 0; i < machine->n_gpus; i++) {
        const struct io_device *gpu = &machine->gpus[i];
        for (int j = i + 1; j < machine->n_gpus; j++)
            json_array_append_new(array, device_link_json(machine, gpu, &machine->gpus[j]));
        for (int j = 0; j < machine->n_nics; j++)
            json_array_append_new(array, device_link_json(machine, gpu, &machine->nics[j]));
    }
}

static void add_rank_links(json_t *array, const struct place *places, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const char *class = link_class_name(place_link(&places[i], &places[j]));
            json_array_append_new(array,
                                  json_pack("{s:o, s:o, s:s}", "a", json_sprintf("rank%d", i), "b",
                                            json_sprintf("rank%d", j), "class", class));
        }
}

json_t *topology_json(const struct machine *machine, const struct place *places, int n_places) {
    json_t *links = json_array();
    add_device_links(links, machine);
    add_rank_links(links, places, n_places);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
        "spbench.topology/1", "machine", machine->name, "source", machine->source, "packages",
        number_or_null(machine->packages > 0 ? machine->packages : -1), "numa_nodes",
        machine->numa_nodes, "cores", number_or_null(machine->cores_known ? machine->cores : -1),
        "pus", number_or_null(machine->pus_known ? machine->pus : -1), "caches",
        caches_json(machine), "gpus", gpus_json(machine), "nics", nics_json(machine), "ranks",
        ranks_json(places, n_places), "links", links);
    if (!object)
        fail(ST_ENV, "out of memory for the topology of %s", machine->name);
    if (machine->n_nvswitches > 0)
        json_object_set_new(object, "nvswitches", json_integer(machine->n_nvswitches));
    if (machine->note[0])
        json_object_set_new(object, "note", json_string(machine->note));
    return object;
}
