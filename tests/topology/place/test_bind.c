#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology/model/machine.h"
#include "topology/place/bind.h"
#include "topology/place/place.h"

#include "tests/cmocka_all.h"

/* Two packages of two L3 caches of two cores of two PUs, numbered in that order, with a NUMA node
 * each package. */
static const char example[] = "package:2 [numa] l3:2 core:2 pu:2";

static void share(const struct machine *machine, enum bind_policy policy, int rank, int size,
                  char *list, size_t n) {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    assert_int_equal(bind_share(machine, policy, rank, size, cpus), ST_OK);
    hwloc_bitmap_list_snprintf(list, n, cpus);
    hwloc_bitmap_free(cpus);
}

static void shares(void **state) {
    (void)state;
    static const struct {
        enum bind_policy policy;
        int size;
        const char *cpus[12]; /* of each rank */
    } cases[] = {
        {BIND_CORE, 1, {"0-15"}},
        {BIND_CORE, 2, {"0-7", "8-15"}},
        {BIND_CORE, 3, {"0-3", "4-9", "10-15"}},
        {BIND_CORE, 8, {"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"}},
        /* more ranks than cores: in blocks */
        {BIND_CORE,
         12,
         {"0-1", "0-1", "2-3", "4-5", "4-5", "6-7", "8-9", "8-9", "10-11", "12-13", "12-13",
          "14-15"}},
        {BIND_NUMA, 1, {"0-15"}},
        {BIND_NUMA, 4, {"0-7", "0-7", "8-15", "8-15"}},
        {BIND_NUMA, 3, {"0-7", "0-15", "8-15"}},
        {BIND_NONE, 2, {"0-15", "0-15"}},
    };
    struct machine machine;
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int rank = 0; rank < cases[i].size; rank++) {
            char list[128];
            share(&machine, cases[i].policy, rank, cases[i].size, list, sizeof list);
            assert_string_equal(list, cases[i].cpus[rank]);
        }
    machine_free(&machine);
}

/* Only what is allowed is shared out: one PU of core 1, cores 2 and 5. */
static void shares_of_a_part(void **state) {
    (void)state;
    struct machine machine;
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    hwloc_bitmap_list_sscanf(machine.allowed, "3-5,10-11");
    machine.allowed_cores = 3;
    static const char *const by_core[] = {"3", "4-5", "10-11"};
    static const char *const by_numa[] = {"3-5", "3-5", "10-11"};
    for (int rank = 0; rank < 3; rank++) {
        char list[128];
        share(&machine, BIND_CORE, rank, 3, list, sizeof list);
        assert_string_equal(list, by_core[rank]);
        share(&machine, BIND_NUMA, rank, 3, list, sizeof list);
        assert_string_equal(list, by_numa[rank]);
    }
    machine_free(&machine);
}

/* For any number of ranks: nothing left over, nothing shared while there are cores enough, sizes
 * that differ by one core at most; else the load of cores differs by one rank at most. */
static void even_and_complete(void **state) {
    (void)state;
    struct machine machine;
    assert_int_equal(machine_load(&machine, "synthetic", "package:2 core:7 pu:1"), ST_OK);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (int size = 1; size <= 40; size++) {
        int load[14] = {0}, last = -1;
        for (int rank = 0; rank < size; rank++) {
            assert_int_equal(bind_share(&machine, BIND_CORE, rank, size, cpus), ST_OK);
            const int weight = hwloc_bitmap_weight(cpus), first = hwloc_bitmap_first(cpus);
            assert_in_range(weight, size <= 14 ? 14 / size : 1,
                            size <= 14 ? (14 + size - 1) / size : 1);
            assert_int_equal(hwloc_bitmap_last(cpus), first + weight - 1);
            assert_true(first >= last);
            last = first;
            for (int pu = first; pu < first + weight; pu++)
                load[pu]++;
        }
        for (int pu = 0; pu < 14; pu++)
            assert_in_range(load[pu], size <= 14 ? 1 : size / 14, (size + 13) / 14);
    }
    hwloc_bitmap_free(cpus);
    machine_free(&machine);
}

/* From shares to classes: what `topo --synthetic` shows. */
static void classes_of_shares(void **state) {
    (void)state;
    static const char *const from_rank_0[] = {"",          "same-core", "shared-l3",
                                              "shared-l3", "same-numa", "same-numa",
                                              "same-numa", "same-numa", "cross-package"};
    struct machine machine;
    struct place places[16];
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (int rank = 0; rank < 16; rank++) {
        bind_share(&machine, BIND_CORE, rank, 16, cpus);
        place_at(&machine, cpus, "example", &places[rank]);
    }
    for (int rank = 1; rank <= 8; rank++)
        assert_string_equal(link_class_name(place_link(&places[0], &places[rank])),
                            from_rank_0[rank]);
    assert_int_equal(places_ranks_per_core(places, 16, 0), 2);
    assert_string_equal(places[15].cpus, "14-15");
    assert_int_equal(places[15].within[PLACE_NUMA], 1);
    hwloc_bitmap_free(cpus);
    machine_free(&machine);
}

static void *affinity_of_thread(void *arg) {
    sched_getaffinity(0, sizeof(cpu_set_t), arg);
    return NULL;
}

/* In a child, so that this process stays as it is. Exits 0 when all is as it must be. */
static int child_binds(const struct machine *machine, const char *expected) {
    struct place place;
    cpu_set_t mine, threads;
    pthread_t thread;
    if (bind_rank(machine, BIND_CORE, 0, machine->allowed_cores) || place_self(machine, &place))
        return 1;
    if (strcmp(place.cpus, expected) != 0 || place.within[PLACE_CORE] < 0)
        return 2;
    sched_getaffinity(0, sizeof mine, &mine);
    if (pthread_create(&thread, NULL, affinity_of_thread, &threads) || pthread_join(thread, NULL))
        return 3;
    if (!CPU_EQUAL(&mine, &threads))
        return 4;
    /* Binding again starts from what was inherited, not from the last share. */
    if (bind_rank(machine, BIND_CORE, 0, 1) || place_self(machine, &place))
        return 5;
    return hwloc_bitmap_weight(machine->allowed) > 1 && strcmp(place.cpus, expected) == 0 ? 6 : 0;
}

static void binds_this_process(void **state) {
    (void)state;
    struct machine machine;
    char expected[255];
    assert_int_equal(machine_load(&machine, "hwloc", NULL), ST_OK);
    share(&machine, BIND_CORE, 0, machine.allowed_cores, expected, sizeof expected);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child_binds(&machine, expected));
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    machine_free(&machine);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void refuses_a_described_machine(void **state) {
    (void)state;
    struct machine machine;
    struct place place;
    assert_int_equal(machine_load(&machine, "synthetic", example), ST_OK);
    assert_int_equal(bind_rank(&machine, BIND_CORE, 0, 1), ST_USAGE);
    assert_int_equal(place_self(&machine, &place), ST_USAGE);
    machine_free(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(shares_of_a_part),
        cmocka_unit_test(even_and_complete),
        cmocka_unit_test(classes_of_shares),
        cmocka_unit_test(binds_this_process),
        cmocka_unit_test(refuses_a_described_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
