/* Records of pairs read for predictions, and which pairs a probe takes. */
#include "bench/links/pair_record.h"
#include "bench/links/probe.h"
#include "bench/links/rates.h"

#include <math.h>
#include <string.h>

#include "results/record/record.h"

#include "tests/cmocka_all.h"

enum { RANKS = 8, PAIRS = 28, SIZES = 3 };

static const size_t sizes[SIZES] = {8, 1000, 1000000};

/* Ranks 0 to 3 and 4 to 7 are a host each; 0, 1 and so on share a cache. */
static void make_places(struct place *places) {
    memset(places, 0, RANKS * sizeof *places);
    for (int r = 0; r < RANKS; r++) {
        places[r].host_key = (uint64_t)(r / 4);
        for (int level = 0; level < PLACE_LEVELS; level++)
            places[r].within[level] = level >= PLACE_NUMA ? 0 : level >= PLACE_L3 ? r / 2 : r;
    }
}

/* A pair across hosts alone gets 1 GB/s each way; in a round, all of them together 1.5 GB/s of each
 * host. Inside a host 10 GB/s alone and 4 GB/s loaded. */
static double made_up(const struct place *places, int a, int b, enum pair_mode mode, size_t bytes) {
    double gb_s = mode == PAIR_LOADED ? 4 : 10;
    if (places[a].host_key != places[b].host_key) {
        int round = 0, crossing = 0;
        while (tournament_peer(RANKS, round, a) != b)
            round++;
        for (int r = 0; r < 4; r++) /* of the first host, and there are but two */
            crossing += tournament_peer(RANKS, round, r) >= 4;
        gb_s = mode == PAIR_ISOLATED ? 1 : fmin(1, 1.5 / crossing);
    }
    return (double)bytes / (1e9 * gb_s);
}

static json_t *make_record(const struct place *places) {
    static struct pair_result results[PAIRS];
    const struct pair_times times = {.results = results};
    const struct pair_report report = {&times, places, RANKS, sizes, SIZES};
    for (int a = 0; a < RANKS; a++)
        for (int b = a + 1; b < RANKS; b++)
            for (int k = 0; k < PAIR_MODES * PAIR_DIRECTIONS * SIZES; k++)
                results[pair_index(RANKS, a, b)]
                    .median_s[k / SIZES / PAIR_DIRECTIONS][k / SIZES % PAIR_DIRECTIONS][k % SIZES] =
                    made_up(places, a, b, (enum pair_mode)(k / SIZES / PAIR_DIRECTIONS),
                            sizes[k % SIZES]);
    json_t *record = record_new("comm");
    record_param_int(record, "world_size", RANKS);
    assert_int_equal(pair_record(&report, record), ST_OK);
    return record;
}

static void near(double value, double wanted) {
    if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

static void rates_are_read(void **state) {
    (void)state;
    struct place places[RANKS];
    struct link_rates rates;
    make_places(places);
    json_t *record = make_record(places);
    assert_true(link_rates_read(record, places, RANKS, "pairs", &rates));
    assert_string_equal(rates.source, "pairs");
    near(rates.gb_s[LINK_NETWORK], 1);
    near(rates.gb_s[LINK_SHARED_L3], 10);
    near(rates.gb_s[LINK_SAME_NUMA], 10);
    near(rates.gb_s[LINK_CROSS_PACKAGE], 0);
    near(rates.model.host_bytes_per_s, 1.5e9);
    near(link_curve_seconds(&rates.model.network, 1e6), 1e-3);
    near(link_curve_seconds(&rates.model.shared[LINK_SHARED_L3], 1e6), 1e6 / 4e9);
    assert_int_equal(rates.model.shared[LINK_CROSS_PACKAGE].n, 0);
    assert_int_equal(rates.model.shared[LINK_NETWORK].n, 0);
    json_decref(record);
}

/* Of other ranks, of others' places, or damaged. */
static void others_are_refused(void **state) {
    (void)state;
    struct place places[RANKS], moved[RANKS];
    struct link_rates rates;
    make_places(places);
    make_places(moved);
    moved[3].host_key = 1;
    json_t *record = make_record(places);
    assert_false(link_rates_read(record, places, RANKS - 1, "pairs", &rates));
    assert_false(link_rates_read(record, moved, RANKS, "pairs", &rates));
    static const int last_bytes[] = {8, 2000}; /* falls; tells latency only */
    for (int k = 0; k < 2; k++) {
        json_t *link;
        size_t i;
        json_array_foreach(json_object_get(record, "links"), i, link) {
            json_t *last = json_array_get(json_object_get(link, "curve"), SIZES - 1);
            json_object_set_new(last, "bytes", json_integer(last_bytes[k]));
        }
        assert_false(link_rates_read(record, places, RANKS, "pairs", &rates));
    }
    json_object_set_new(json_array_get(json_object_get(record, "pairs"), 5), "b", json_integer(99));
    assert_false(link_rates_read(record, places, RANKS, "pairs", &rates));
    json_object_del(record, "pairs");
    assert_false(link_rates_read(record, places, RANKS, "pairs", &rates));
    json_decref(record);
}

/* Inside hosts one pair of each of two classes; across hosts one, in a round in which all cross. */
static void a_probe_takes_one_pair_of_each_class(void **state) {
    (void)state;
    struct place places[RANKS];
    bool alone[PAIRS], loaded[PAIRS];
    make_places(places);
    for (int network = 0; network < 2; network++) {
        int seen[LINK_CLASSES] = {0}, n = 0;
        assert_true(link_probe_choose(places, RANKS, network, alone, loaded));
        for (int a = 0; a < RANKS; a++)
            for (int b = a + 1; b < RANKS; b++) {
                const enum link_class class = place_link(&places[a], &places[b]);
                assert_int_equal(loaded[pair_index(RANKS, a, b)],
                                 (class == LINK_NETWORK) == network);
                if (!alone[pair_index(RANKS, a, b)])
                    continue;
                n++;
                seen[class]++;
                int round = 0, crossing = 0;
                while (tournament_peer(RANKS, round, a) != b)
                    round++;
                for (int r = 0; r < 4; r++)
                    crossing += tournament_peer(RANKS, round, r) >= 4;
                if (network)
                    assert_int_equal(crossing, 4);
            }
        assert_int_equal(n, network ? 1 : 2);
        assert_int_equal(network ? seen[LINK_NETWORK] : seen[LINK_SHARED_L3] * seen[LINK_SAME_NUMA],
                         1);
    }
    for (int r = 0; r < RANKS; r++)
        places[r].host_key = 1;
    assert_false(link_probe_choose(places, RANKS, true, alone, loaded));
}

static void hosts_are_numbered(void **state) {
    (void)state;
    struct place places[RANKS];
    int host[RANKS];
    make_places(places);
    places[2].host_key = 7;
    link_hosts(places, RANKS, host);
    static const int wanted[RANKS] = {0, 0, 1, 0, 2, 2, 2, 2};
    assert_memory_equal(host, wanted, sizeof host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_read),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(a_probe_takes_one_pair_of_each_class),
        cmocka_unit_test(hosts_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
