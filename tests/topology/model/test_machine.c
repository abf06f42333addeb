#include <hwloc.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/model/machine.h"
#include "topology/place/place.h"
#include "topology/print/print.h"

#include "tests/cmocka_all.h"

static const char example[] = "package:2 [numa] l3:1(size=33554432) core:4 pu:2";

static void synthetic(void **state) {
    (void)state;
    struct machine machine;
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    assert_string_equal(machine.source, "synthetic");
    assert_string_equal(machine.name, example);
    assert_false(machine.native);
    assert_int_equal(machine.packages, 2);
    assert_int_equal(machine.numa_nodes, 2);
    assert_int_equal(machine.cores, 8);
    assert_int_equal(machine.allowed_cores, 8);
    assert_int_equal(machine.pus, 16);
    assert_int_equal(machine.n_caches, 1);
    assert_int_equal(machine.caches[0].level, 3);
    assert_int_equal(machine.caches[0].bytes, 32 << 20);
    assert_int_equal(machine.caches[0].count, 2);
    assert_int_equal(machine.caches[0].cores, 4);
    assert_int_equal(machine.caches[0].pus, 8);
    machine_free(&machine);
}

static void last_level_cache(void **state) {
    (void)state;
    static const struct {
        const char *machine;
        size_t bytes;
    } cases[] = {
        {"package:2 l3:1(size=33554432) l2:4(size=1048576) pu:2", 64 << 20},
        {"package:2 l2:4(size=1048576) pu:2", 8 << 20},
        {"package:1 pu:2", 32 << 20}, /* nothing is known */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine;
        assert_int_equal(machine_load(&machine, "synthetic", cases[i].machine), ST_OK);
        assert_int_equal(machine_cache_bytes(&machine), cases[i].bytes);
        machine_free(&machine);
    }
}

static void bad_input(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"synthetic", "package:two"},
        {"synthetic", ""},
        {"synthetic", NULL},
        {"hwloc-xml", "/does/not/exist"},
        {"hwloc-xml", "/"},
        {"hwloc-xml", NULL},
        {"lscpu", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine;
        assert_int_equal(machine_load(&machine, cases[i][0], cases[i][1]), ST_USAGE);
        machine_free(&machine);
    }
}

/* A process that may run on one CPU has one core to share out, though the machine keeps all. */
static void inherits_the_cpuset(void **state) {
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct machine machine = {0};
    struct place place = {0};
    const enum status status = machine_load(&machine, "hwloc", NULL);
    const enum status placed = status ? status : place_self(&machine, &place);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(status, ST_OK);
    assert_int_equal(placed, ST_OK);

    assert_true(machine.native);
    assert_int_equal(machine.allowed_cores, 1);
    assert_true(machine.pus >= CPU_COUNT(&before));
    assert_int_equal(hwloc_bitmap_first(machine.allowed), cpu);
    assert_int_equal(hwloc_bitmap_weight(machine.allowed), 1);
    char expected[16], host[65];
    snprintf(expected, sizeof expected, "%zu", cpu);
    gethostname(host, sizeof host);
    assert_string_equal(place.cpus, expected);
    assert_string_equal(place.host, host);
    assert_int_equal(place.pid, getpid());
    machine_free(&machine);
}

static void export_reads_back(void **state) {
    (void)state;
    char path[] = "topology-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct machine written, read;
    assert_int_equal(machine_load(&written, "hwloc-xml", TEST_DATA_DIR "/nvidia-dgx2.xml"), ST_OK);
    assert_int_equal(machine_topology_xml(&written, path), ST_OK);
    assert_int_equal(machine_load(&read, "hwloc-xml", path), ST_OK);
    unlink(path);
    json_t *a = topology_json(&written, NULL, 0), *b = topology_json(&read, NULL, 0);
    assert_true(json_equal(a, b));
    char id_a[64], id_b[64];
    machine_fingerprint(&written, id_a, sizeof id_a);
    machine_fingerprint(&read, id_b, sizeof id_b);
    assert_string_equal(id_a, id_b);
    assert_int_equal(machine_topology_xml(&written, "/does/not/exist/topology.xml"), ST_ENV);
    json_decref(a);
    json_decref(b);
    machine_free(&written);
    machine_free(&read);
}

/* Same counts, another cache: another machine. */
static void fingerprint_tells_apart(void **state) {
    (void)state;
    static const char *const others[] = {
        "package:2 [numa] l3:1(size=67108864) core:4 pu:2",
        "package:2 [numa] l3:2(size=33554432) core:2 pu:2",
        "package:1 [numa] l3:2(size=33554432) core:4 pu:2",
    };
    struct machine machine;
    char first[64], other[64];
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    machine_fingerprint(&machine, first, sizeof first);
    machine_free(&machine);
    assert_memory_equal(first, "2p2n8c16t-", 10);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(machine_load(&machine, "synthetic", others[i]), ST_OK);
        machine_fingerprint(&machine, other, sizeof other);
        machine_free(&machine);
        assert_string_not_equal(first, other);
    }
}

/* Ranks and their pairs, as records and people see them. */
static void ranks_are_shown(void **state) {
    (void)state;
    enum { RANKS = 20 };
    struct machine machine;
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    struct place places[RANKS];
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (int rank = 0; rank < RANKS; rank++) {
        hwloc_bitmap_only(cpus, (unsigned)(rank % 16));
        place_at(&machine, cpus, rank < 16 ? "a" : "b", &places[rank]);
    }
    hwloc_bitmap_free(cpus);

    json_t *object = topology_json(&machine, places, 3);
    json_t *rank = json_array_get(json_object_get(object, "ranks"), 2);
    json_t *expected = json_pack("{s:i, s:s, s:s, s:i, s:n}", "rank", 2, "host", "a", "cpus", "2",
                                 "numa", 0, "gpu");
    assert_true(json_equal(rank, expected));
    json_t *links = json_pack("[{s:s,s:s,s:s},{s:s,s:s,s:s},{s:s,s:s,s:s}]", "a", "rank0", "b",
                              "rank1", "class", "same-core", "a", "rank0", "b", "rank2", "class",
                              "shared-l3", "a", "rank1", "b", "rank2", "class", "shared-l3");
    assert_true(json_equal(json_object_get(object, "links"), links));
    json_decref(object);
    json_decref(expected);
    json_decref(links);

    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    topology_table(out, &machine, places, RANKS);
    fclose(out);
    assert_non_null(strstr(text, "network       64 pairs")); /* 16 on a, 4 on b */
    assert_non_null(strstr(text, "same-core     10 pairs")); /* 8 on a, 2 on b */
    free(text);
    machine_free(&machine);
}

static void assert_table_has(const struct machine *machine, const char *line) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    topology_table(out, machine, NULL, 0);
    fclose(out);
    assert_non_null(strstr(text, line));
    free(text);
}

/* Cores that a control group takes away stay cores of the machine; those that a file leaves out are
 * known by the processors of the whole machine. */
static void forbidden_cores_are_told(void **state) {
    (void)state;
    struct machine machine;
    assert_int_equal(machine_load(&machine, "file", TEST_DATA_DIR "/restricted.xml"), ST_OK);
    assert_int_equal(machine.cores, 8);
    assert_int_equal(machine.allowed_cores, 6);
    assert_int_equal(hwloc_bitmap_first(machine.allowed), 2);
    assert_table_has(&machine, "6 of 8 cores allowed");
    machine_free(&machine);
    assert_int_equal(machine_load(&machine, "file", TEST_DATA_DIR "/lassen-v100.xml"), ST_OK);
    assert_table_has(&machine, "40 of 44 cores allowed"); /* 176 processors, 160 seen, 4 a core */
    machine_free(&machine);
}

/* Processor numbers beyond what a place holds are refused, not left out. */
static void far_processors_are_refused(void **state) {
    (void)state;
    struct machine machine;
    struct place place;
    assert_int_equal(machine_load(&machine, "synthetic", "core:2 pu:1(indexes=0,5000)"), ST_OK);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    hwloc_bitmap_only(cpus, 0);
    assert_int_equal(place_at(&machine, cpus, "a", &place), ST_OK);
    hwloc_bitmap_only(cpus, 5000);
    assert_int_equal(place_at(&machine, cpus, "a", &place), ST_USAGE);
    hwloc_bitmap_free(cpus);
    machine_free(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic),
        cmocka_unit_test(last_level_cache),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(inherits_the_cpuset),
        cmocka_unit_test(export_reads_back),
        cmocka_unit_test(fingerprint_tells_apart),
        cmocka_unit_test(ranks_are_shown),
        cmocka_unit_test(far_processors_are_refused),
        cmocka_unit_test(forbidden_cores_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
