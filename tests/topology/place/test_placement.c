#include <hwloc.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/place/bind.h"
#include "topology/place/placement.h"
#include "topology/print/print.h"

#include "tests/cmocka_all.h"

struct expected {
    const char *machine;
    int hosts, ranks;
    struct placement_shape shape;
    const char *sp_best, *sp_worst, *dp_best, *dp_worst; /* "unknown": groups of one rank */
    int straddles;
    const char *unit;
    const char *advice[3]; /* pieces; none: no advice */
};

static const char two_packages[] = "package:2 [numa] l3:2 core:2 pu:1";

/* Two packages of two L3 caches of two cores: ranks 0,1 | 2,3 || 4,5 | 6,7. */
static const struct expected cases[] = {
    {two_packages,
     1,
     8,
     {4, 2, false},
     "shared-l3",
     "same-numa",
     "cross-package",
     "cross-package",
     2,
     "L3 cache",
     {NULL}},
    /* rank = sp * 2 + dp: 0,2,4,6 and 1,3,5,7 */
    {two_packages,
     1,
     8,
     {4, 2, true},
     "same-numa",
     "cross-package",
     "shared-l3",
     "shared-l3",
     2,
     "package",
     {"sp=4 straddles 2 packages (cross-package)", "--placement sp-inner keeps it inside one",
      "(same-numa at worst)"}},
    {two_packages,
     1,
     8,
     {2, 4, true},
     "cross-package",
     "cross-package",
     "shared-l3",
     "same-numa",
     2,
     "package",
     {"--placement sp-inner", "(shared-l3 at worst)"}},
    /* All ranks share a sequence: no placement helps, Ulysses inside a package does. */
    {two_packages,
     1,
     8,
     {8, 1, false},
     "shared-l3",
     "cross-package",
     "unknown",
     "unknown",
     2,
     "package",
     {"no placement avoids it", "usp with --ulysses-size 4", "(same-numa at worst)"}},
    /* Two hosts of two ranks: Ulysses inside a host. */
    {"package:1 [numa] l3:1 core:2 pu:1",
     2,
     4,
     {4, 1, false},
     "shared-l3",
     "network",
     "unknown",
     "unknown",
     2,
     "host",
     {"sp=4 straddles 2 hosts (network)", "--ulysses-size 2 --inner ulysses",
      "(shared-l3 at worst)"}},
    /* usp with its rings inside the hosts, and then the other way round. */
    {"package:1 [numa] l3:1 core:2 pu:1",
     2,
     4,
     {4, 1, false, 2, true},
     "shared-l3",
     "network",
     "unknown",
     "unknown",
     2,
     "host",
     {"also in Ulysses groups of 2", "--ulysses-size 2 --inner ulysses", "(shared-l3 at worst)"}},
    {"package:1 [numa] l3:1 core:2 pu:1",
     2,
     4,
     {4, 1, false, 2, false},
     "shared-l3",
     "network",
     "unknown",
     "unknown",
     2,
     "host",
     {NULL}},
    {"package:1 [numa] l3:1 core:2 pu:1",
     2,
     4,
     {2, 2, true},
     "network",
     "network",
     "shared-l3",
     "shared-l3",
     2,
     "host",
     {"--placement sp-inner keeps it inside one"}},
    /* One rank a host: nothing is nearer. */
    {"package:1 [numa] l3:1 core:2 pu:1",
     4,
     4,
     {4, 1, false},
     "network",
     "network",
     "unknown",
     "unknown",
     4,
     "host",
     {NULL}},
    {two_packages,
     1,
     8,
     {1, 8, false},
     "unknown",
     "unknown",
     "shared-l3",
     "cross-package",
     1,
     "core",
     {NULL}},
    /* Three ranks a package and groups of two: one group straddles whatever is done. */
    {"package:2 [numa] l3:1 core:3 pu:1",
     1,
     6,
     {2, 3, false},
     "shared-l3",
     "cross-package",
     "shared-l3",
     "cross-package",
     2,
     "package",
     {NULL}},
    /* Two ranks on each core: to bring those of a sequence together there makes nothing nearer ...
     */
    {"package:1 [numa] l3:1 core:2 pu:1",
     1,
     4,
     {2, 2, true},
     "shared-l3",
     "shared-l3",
     "same-core",
     "same-core",
     2,
     "L2 cache",
     {NULL}},
    {"package:1 [numa] l3:1 core:2 pu:1",
     1,
     4,
     {2, 2, false},
     "same-core",
     "same-core",
     "shared-l3",
     "shared-l3",
     1,
     "core",
     {NULL}},
    /* ... unless they leave the NUMA node now. */
    {"package:2 [numa] l3:1 core:1 pu:1",
     1,
     4,
     {2, 2, true},
     "cross-package",
     "cross-package",
     "same-core",
     "same-core",
     2,
     "package",
     {"sp=2 straddles 2 packages (cross-package)", "--placement sp-inner",
      "(its ranks share a core there)"}},
    {"package:1 [numa] l3:1 core:1 pu:1",
     2,
     4,
     {4, 1, false},
     "same-core",
     "network",
     "unknown",
     "unknown",
     2,
     "host",
     {"no placement avoids it", "--ulysses-size 2", "(its ranks share a core there)"}},
};

static void check(const struct expected *e) {
    struct machine machine;
    struct place places[8];
    struct placement_advice advice;
    struct placement_shape shape = e->shape;
    const char *unit;
    assert_int_equal(machine_load(&machine, "synthetic", e->machine), ST_OK);
    assert_int_equal(bind_described(&machine, BIND_CORE, e->hosts, e->ranks, places), ST_OK);
    const struct link_span sp = placement_sp_links(places, &e->shape);
    const struct link_span dp = placement_dp_links(places, &e->shape);
    assert_string_equal(link_class_name(sp.best), e->sp_best);
    assert_string_equal(link_class_name(sp.worst), e->sp_worst);
    assert_string_equal(link_class_name(dp.best), e->dp_best);
    assert_string_equal(link_class_name(dp.worst), e->dp_worst);
    assert_int_equal(placement_straddles(places, &e->shape, &unit), e->straddles);
    assert_string_equal(unit, e->unit);
    if (shape.ulysses_size == 0)
        shape.ulysses_size = shape.sp_size;
    assert_int_equal(placement_advise(places, &shape, &advice), e->advice[0] != NULL);
    assert_int_equal(advice.text[0] == '\0', e->advice[0] == NULL);
    for (int i = 0; i < 3 && e->advice[i]; i++)
        if (!strstr(advice.text, e->advice[i]))
            fail_msg("no \"%s\" in: %s", e->advice[i], advice.text);
    machine_free(&machine);
}

static void groups_and_advice(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

/* A ring is not told to be usp: only one hop in a host's ranks crosses anyway. */
static void a_ring_is_only_placed(void **state) {
    (void)state;
    struct machine machine;
    struct place places[4];
    struct placement_advice advice;
    const struct placement_shape ring = {4, 1, false, 0, false}, outer = {2, 2, true, 0, false};
    assert_int_equal(machine_load(&machine, "synthetic", "package:1 [numa] core:2 pu:1"), ST_OK);
    assert_int_equal(bind_described(&machine, BIND_CORE, 2, 4, places), ST_OK);
    assert_false(placement_advise(places, &ring, &advice));
    assert_true(placement_advise(places, &outer, &advice));
    assert_false(advice.better.sp_outer);
    assert_int_equal(advice.from, LINK_NETWORK);
    assert_int_equal(advice.to, LINK_SAME_NUMA);
    machine_free(&machine);
}

static void as_json(void **state) {
    (void)state;
    struct machine machine;
    struct place places[8];
    const struct placement_shape shape = {8, 1, false};
    assert_int_equal(machine_load(&machine, "synthetic", two_packages), ST_OK);
    assert_int_equal(bind_described(&machine, BIND_CORE, 1, 8, places), ST_OK);
    json_t *json = placement_json(places, &shape);
    json_t *links = json_pack("{s:s, s:s}", "sp_best_link", "shared-l3", "sp_worst_link",
                              "cross-package"); /* no data-parallel links: absent */
    assert_true(json_equal(json_object_get(json, "sp-inner"), links));
    assert_true(json_equal(json_object_get(json, "sp-outer"), links));
    assert_true(json_is_string(json_object_get(json, "advice")));
    json_decref(links);
    json_decref(json);
    machine_free(&machine);
}

/* Hosts are alike, and ranks on different ones are apart. */
static void described_hosts(void **state) {
    (void)state;
    struct machine machine;
    struct place places[8];
    assert_int_equal(machine_load(&machine, "synthetic", "package:1 [numa] core:2 pu:1"), ST_OK);
    assert_int_equal(bind_described(&machine, BIND_CORE, 4, 8, places), ST_OK);
    for (int r = 0; r < 8; r++) {
        char host[16];
        snprintf(host, sizeof host, "node%d", r / 2);
        assert_string_equal(places[r].host, host);
        assert_string_equal(places[r].cpus, r % 2 ? "1" : "0");
        for (int q = 0; q < r; q++)
            assert_int_equal(place_link(&places[r], &places[q]),
                             r / 2 == q / 2 ? LINK_SAME_NUMA : LINK_NETWORK);
    }
    assert_string_equal(bind_policy_name(BIND_NUMA), "numa");
    machine_free(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_advice),
        cmocka_unit_test(a_ring_is_only_placed),
        cmocka_unit_test(as_json),
        cmocka_unit_test(described_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
