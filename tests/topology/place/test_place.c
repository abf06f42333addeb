#include <string.h>

#include "topology/place/place.h"

#include "tests/cmocka_all.h"

enum { HOST_A = 1, HOST_B = 2 };

/* A place on cores [first, end), of which each has a PU. */
static struct place on_cores(uint64_t host, int first, int end) {
    struct place place = {.host_key = host, .within = {-1, -1, -1, -1, -1}};
    for (int core = first; core < end; core++)
        place.cores[core / 64] |= UINT64_C(1) << (core % 64);
    return place;
}

static void nearest_level_wins(void **state) {
    (void)state;
    /* core, L2, L3, NUMA, package of both; the class expected on one host */
    static const struct {
        int32_t a[PLACE_LEVELS], b[PLACE_LEVELS];
        const char *class;
    } cases[] = {
        {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, "same-core"},
        {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, "shared-l2"},
        {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, "shared-l3"},
        {{0, 0, 0, 0, 0}, {4, 4, 4, 0, 0}, "same-numa"},
        {{0, 0, 0, 0, 0}, {4, 4, 4, 1, 0}, "same-package"},
        {{0, 0, 0, 0, 0}, {8, 8, 8, 2, 8}, "cross-package"},
        /* An unknown level joins nobody, not even two ranks that both lack it. */
        {{0, -1, -1, 0, 0}, {1, -1, -1, 0, 0}, "same-numa"},
        {{-1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1}, "cross-package"},
        /* A rank bound to a whole package against one on a core of it. */
        {{-1, -1, -1, -1, 0}, {0, 0, 0, 0, 0}, "same-package"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct place a = {.host_key = HOST_A}, b = {.host_key = HOST_A};
        memcpy(a.within, cases[i].a, sizeof a.within);
        memcpy(b.within, cases[i].b, sizeof b.within);
        assert_string_equal(link_class_name(place_link(&a, &b)), cases[i].class);
        assert_int_equal(place_link(&a, &b), place_link(&b, &a));
        b.host_key = HOST_B;
        assert_string_equal(link_class_name(place_link(&a, &b)), "network");
    }
}

static void class_names_in_order(void **state) {
    (void)state;
    static const char *const names[] = {
        "same-core",     "shared-l2", "shared-l3", "same-numa",   "same-package",
        "cross-package", "nvlink",    "xgmi",      "pcie-switch", "pcie-host",
        "pcie-node",     "system",    "network",
    };
    assert_int_equal(LINK_CLASSES, sizeof names / sizeof *names);
    for (int i = 0; i < LINK_CLASSES; i++)
        assert_string_equal(link_class_name((enum link_class)i), names[i]);
    assert_string_equal(link_class_name(LINK_CLASSES), "unknown");
}

static void ranks_per_core(void **state) {
    (void)state;
    /* Bindings as core ranges, and what the busiest core of the first rank's host must serve. */
    static const struct {
        int n, expected;
        struct {
            uint64_t host;
            int first, end;
        } ranks[6];
    } cases[] = {
        {1, 1, {{HOST_A, 0, 2}}},
        {2, 1, {{HOST_A, 0, 1}, {HOST_A, 1, 2}}},
        {2, 2, {{HOST_A, 0, 1}, {HOST_A, 0, 1}}},
        /* unbound: the scheduler spreads them */
        {2, 1, {{HOST_A, 0, 2}, {HOST_A, 0, 2}}},
        {4, 2, {{HOST_A, 0, 2}, {HOST_A, 0, 2}, {HOST_A, 0, 2}, {HOST_A, 0, 2}}},
        {5, 3, {{HOST_A, 0, 2}, {HOST_A, 0, 2}, {HOST_A, 0, 2}, {HOST_A, 0, 2}, {HOST_A, 0, 2}}},
        /* the wide one comes first and must move off the cores of the narrow ones */
        {3, 1, {{HOST_A, 0, 3}, {HOST_A, 0, 1}, {HOST_A, 1, 2}}},
        {4, 2, {{HOST_A, 0, 3}, {HOST_A, 0, 1}, {HOST_A, 1, 2}, {HOST_A, 0, 2}}},
        /* two crowded on one core are not helped by idle cores elsewhere */
        {3, 2, {{HOST_A, 4, 8}, {HOST_A, 0, 1}, {HOST_A, 0, 1}}},
        /* other hosts do not count, and no rank is anywhere in particular */
        {3, 1, {{HOST_A, 0, 1}, {HOST_B, 0, 1}, {HOST_B, 0, 1}}},
        {2, 1, {{HOST_A, 0, 0}, {HOST_A, 0, 0}}},
        /* core numbers beyond one machine word */
        {2, 2, {{HOST_A, 4095, 4096}, {HOST_A, 4095, 4096}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct place places[6];
        for (int r = 0; r < cases[i].n; r++)
            places[r] =
                on_cores(cases[i].ranks[r].host, cases[i].ranks[r].first, cases[i].ranks[r].end);
        assert_int_equal(places_ranks_per_core(places, cases[i].n, 0), cases[i].expected);
    }
}

static void sharing(void **state) {
    (void)state;
    /* Bound to sockets in turn, one overlapping both, and a host of its own. */
    const struct place places[] = {on_cores(HOST_A, 0, 4), on_cores(HOST_A, 4, 8),
                                   on_cores(HOST_A, 0, 4), on_cores(HOST_A, 3, 5),
                                   on_cores(HOST_B, 0, 4), on_cores(HOST_A, 4, 8)};
    static const struct {
        int sharing, index;
    } expected[] = {{2, 0}, {2, 0}, {2, 1}, {1, 0}, {1, 0}, {2, 1}};
    for (int r = 0; r < 6; r++) {
        int index = -1;
        assert_int_equal(places_sharing(places, 6, r, &index), expected[r].sharing);
        assert_int_equal(index, expected[r].index);
    }
}

static void crowds(void **state) {
    (void)state;
    /* Bindings as core ranges, and each rank's crowd. */
    static const struct {
        int n;
        struct {
            uint64_t host;
            int first, end, expected;
        } ranks[5];
    } cases[] = {
        {2, {{HOST_A, 0, 1, 0}, {HOST_A, 1, 2, 1}}},
        {2, {{HOST_A, 0, 2, 0}, {HOST_A, 0, 2, 1}}}, /* unbound, but there are enough cores */
        {3, {{HOST_A, 0, 2, 0}, {HOST_A, 0, 2, 0}, {HOST_A, 0, 2, 0}}},
        {4, {{HOST_A, 0, 1, 0}, {HOST_A, 1, 2, 1}, {HOST_A, 0, 1, 0}, {HOST_A, 1, 2, 1}}},
        /* the first and the third meet through the last only */
        {5,
         {{HOST_A, 0, 1, 0},
          {HOST_A, 7, 8, 1},
          {HOST_A, 1, 2, 0},
          {HOST_A, 1, 2, 0},
          {HOST_A, 0, 2, 0}}},
        /* the same cores of another host */
        {4, {{HOST_A, 0, 1, 0}, {HOST_B, 0, 1, 1}, {HOST_A, 0, 1, 0}, {HOST_B, 0, 1, 1}}},
        /* core numbers beyond one machine word */
        {3, {{HOST_A, 0, 1, 0}, {HOST_A, 130, 131, 1}, {HOST_A, 130, 131, 1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct place places[5];
        for (int r = 0; r < cases[i].n; r++)
            places[r] =
                on_cores(cases[i].ranks[r].host, cases[i].ranks[r].first, cases[i].ranks[r].end);
        for (int r = 0; r < cases[i].n; r++)
            assert_int_equal(places_crowd(places, cases[i].n, r), cases[i].ranks[r].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_level_wins),
        cmocka_unit_test(class_names_in_order),
        cmocka_unit_test(ranks_per_core),
        cmocka_unit_test(sharing),
        cmocka_unit_test(crowds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
