/* The tournament of pairs, measured and recorded: nobody is left out, every byte is right. */
#include "bench/links/pair_record.h"
#include "bench/measure/pair_times.h"

#include <math.h>
#include <string.h>

#include "comm/wrap/fault.h"
#include "results/record/record.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

static struct trace trace;

static const struct measure_config quick = {
    .rel_ci = 0.5, .min_samples = 6, .max_samples = 8, .max_time_s = 0};

static const size_t sizes[] = {8, 1000, 4000};
enum { SIZES = 3, MEASURED = 2 };

/* A transport that corrupts what the last rank receives, if it is told to. */
static struct transport *open_transport(const char *name, struct mem_ledger *ledger, bool corrupt,
                                        long *counter) {
    const struct transport_config config = {
        .ledger = ledger, .trace = &trace, .world = &test_world, .host_key = 1};
    const struct fault fault = {FAULT_CORRUPT, test_world.size - 1, 1};
    struct transport *t = NULL;
    assert_int_equal(transport_open(transport_named(name), &config, &t), ST_OK);
    if (corrupt)
        assert_int_equal(fault_open(t, &fault, test_world.rank, counter, &t), ST_OK);
    return t;
}

static void measure_pairs(const char *name, bool corrupt, struct pair_times *times) {
    struct mem_ledger ledger = {0};
    struct pairs pairs;
    long counter = 0;
    struct transport *t = open_transport(name, &ledger, corrupt, &counter);
    const struct pattern pattern = {3, TENSOR_RAW, 4};
    const struct pair_scope scope = {.verify = true};
    assert_int_equal(pairs_open(&pairs, t, &test_world, pattern, sizes, MEASURED), ST_OK);
    assert_int_equal(pair_times_measure(&pairs, &trace, &quick, &scope, times), ST_OK);
    pairs_close(&pairs);
    assert_int_equal(ledger.peak[MEM_EXCHANGE], 2 * sizes[MEASURED - 1]);
    transport_close(t);
    assert_int_equal(ledger.total_now, 0);
}

static void every_pair_is_measured_and_right(void **state) {
    (void)state;
    static const char *const transports[] = {"mpi", "shm"};
    if (test_world.size == 1)
        skip();
    for (int i = 0; i < (test_world.size > 4 ? 1 : 2); i++) { /* crowds are slow */
        struct pair_times times;
        measure_pairs(transports[i], false, &times);
        assert_int_equal(times.wrong, 0);
        assert_int_equal(times.sent, pairs_volume(sizes, MEASURED, test_world.size));
        assert_in_range(times.slowest.time.n, PAIR_LEAST_SAMPLES, quick.max_samples);
        double slowest = 0;
        for (size_t k = 0; times.results && k < pair_count(test_world.size); k++)
            for (int m = 0; m < PAIR_MODES; m++)
                for (int d = 0; d < PAIR_DIRECTIONS; d++)
                    for (int s = 0; s < MEASURED; s++) {
                        const double t = times.results[k].median_s[m][d][s];
                        assert_true(t > 0 && isfinite(t));
                        if (m == PAIR_ISOLATED && d == PAIR_ONE && s == MEASURED - 1)
                            slowest = fmax(slowest, t);
                    }
        assert_int_equal(times.results != NULL, test_world.rank == 0);
        group_bcast(&test_world, &slowest, sizeof slowest, 0);
        assert_true(times.slowest.time.median == slowest);
        pair_times_free(&times);
    }
}

/* Only the asked for pair is measured in isolation, and only its round is played. */
static void a_scope_leaves_pairs_out(void **state) {
    (void)state;
    const int ranks = test_world.size;
    if (ranks == 1)
        skip();
    const struct pattern pattern = {3, TENSOR_RAW, 4};
    bool alone[28] = {false};
    const struct pair_scope scope = {.alone = alone};
    struct mem_ledger ledger = {0};
    struct pairs pairs;
    struct pair_times times;
    struct transport *t = open_transport("mpi", &ledger, false, NULL);
    alone[pair_index(ranks, 0, 1)] = true;
    assert_int_equal(pairs_open(&pairs, t, &test_world, pattern, sizes, MEASURED), ST_OK);
    assert_int_equal(pair_times_measure(&pairs, &trace, &quick, &scope, &times), ST_OK);
    assert_int_equal(times.sent, 0); /* unverified */
    int round = 0;
    while (tournament_peer(ranks, round, 0) != 1)
        round++;
    for (int a = 0; times.results && a < ranks; a++)
        for (int b = a + 1; b < ranks; b++) {
            const struct pair_result *r = &times.results[pair_index(ranks, a, b)];
            assert_int_equal(r->median_s[PAIR_ISOLATED][PAIR_ONE][0] > 0, a == 0 && b == 1);
            assert_int_equal(r->median_s[PAIR_LOADED][PAIR_BOTH][1] > 0,
                             tournament_peer(ranks, round, a) == b);
        }
    pair_times_free(&times);
    pairs_close(&pairs);
    transport_close(t);
}

static void corruption_is_counted(void **state) {
    (void)state;
    if (test_world.size == 1 || test_world.size > 4)
        skip();
    struct pair_times times;
    measure_pairs("mpi", true, &times);
    /* One element of every verified exchange that the last rank receives. */
    assert_int_equal(times.wrong, (test_world.size - 1) * MEASURED * PAIR_DIRECTIONS);
    pair_times_free(&times);
}

/* Ranks 0, 1 and 2, 3 share a cache, both pairs a host, and ranks 4 and on another one. */
static void make_places(struct place *places, int ranks) {
    memset(places, 0, (size_t)ranks * sizeof *places);
    for (int r = 0; r < ranks; r++) {
        places[r].host_key = r < 4 ? 1 : 2;
        for (int level = 0; level < PLACE_LEVELS; level++)
            places[r].within[level] = level >= PLACE_NUMA ? 0 : level >= PLACE_L3 ? r / 2 : r;
    }
}

/* Made-up times: t = 1 us + n / (1 GB/s), 2 GB/s inside a cache; half of it under load. */
static double made_up(int a, int b, enum pair_mode mode, size_t bytes) {
    const double rate = a / 2 == b / 2 ? 2e9 : 1e9;
    return 1e-6 + (double)bytes / (mode == PAIR_LOADED ? rate / 2 : rate);
}

static json_t *record_made_up(int ranks, struct pair_result *results) {
    struct place places[8];
    const struct pair_times times = {.results = results};
    const struct pair_report report = {&times, places, ranks, sizes, SIZES};
    make_places(places, ranks);
    for (int a = 0; a < ranks; a++)
        for (int b = a + 1; b < ranks; b++)
            for (int m = 0; m < PAIR_MODES; m++)
                for (int d = 0; d < PAIR_DIRECTIONS; d++)
                    for (int s = 0; s < SIZES; s++)
                        results[pair_index(ranks, a, b)].median_s[m][d][s] =
                            made_up(a, b, (enum pair_mode)m, sizes[s]);
    json_t *r = record_new("comm");
    assert_int_equal(pair_record(&report, r), ST_OK);
    return r;
}

static double number(const json_t *object, const char *key) {
    double value = NAN;
    record_num(object, NULL, key, &value);
    return value;
}

static void the_record_has_all_pairs_and_classes(void **state) {
    (void)state;
    struct pair_result results[28];
    json_t *r = record_made_up(8, results);
    bool seen[8][8] = {{false}};
    size_t i;
    json_t *pair, *link;
    json_array_foreach(json_object_get(r, "pairs"), i, pair) {
        const int a = (int)number(pair, "a"), b = (int)number(pair, "b");
        assert_in_range(b, a + 1, 7);
        seen[a][b] = true;
        assert_true(fabs(number(json_object_get(pair, "isolated"), "latency_s") -
                         made_up(a, b, PAIR_ISOLATED, 8)) < 1e-15);
    }
    assert_int_equal(i, 28);
    for (int a = 0; a < 8; a++)
        for (int b = a + 1; b < 8; b++)
            assert_true(seen[a][b]);
    double covered = 0;
    json_array_foreach(json_object_get(r, "links"), i, link) {
        const char *class = record_str(link, NULL, "class");
        const bool loaded = strcmp(record_str(link, NULL, "mode"), "loaded") == 0;
        const double rate = strcmp(class, "shared-l3") == 0 ? 2 : 1;
        covered += number(link, "pairs");
        assert_int_equal(json_array_size(json_object_get(link, "curve")), SIZES);
        assert_true(fabs(number(link, "latency_s") - 1e-6) < 1e-9);
        assert_true(fabs(number(link, "gb_s") - (loaded ? rate / 2 : rate)) < 1e-3);
        assert_true(number(link, "fit_max_rel_error") < 1e-6);
    }
    assert_int_equal(i, 3 * PAIR_MODES * PAIR_DIRECTIONS); /* shared-l3, same-numa, network */
    assert_true(covered == 28 * PAIR_MODES * PAIR_DIRECTIONS);
    const json_t *metrics = json_object_get(r, "metrics");
    assert_true(number(metrics, "worst_pair_gb_s") < number(metrics, "best_pair_gb_s"));
    json_decref(r);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_pair_is_measured_and_right),
        cmocka_unit_test(a_scope_leaves_pairs_out),
        cmocka_unit_test(corruption_is_counted),
        cmocka_unit_test(the_record_has_all_pairs_and_classes),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
