/* Predicted exchange times against ones worked out by hand. */
#include "comm/shape/link_model.h"

#include <math.h>

#include "tests/cmocka_all.h"

#define MB 1e6

/* Inside a host 1 us + n / (10 GB/s). Between hosts 50 us + n / (100 MB/s) alone, and 120 MB/s for
 * all pairs of a host together: a host's link carries a little more than one pair can send. */
static struct link_model made_up(void) {
    struct link_model m = {.host_bytes_per_s = 120 * MB};
    m.shared[LINK_SHARED_L3] = (struct link_curve){3, {8, 1 * MB, 8 * MB}, {1e-6, 101e-6, 801e-6}};
    m.network = (struct link_curve){2, {8, 1 * MB}, {50e-6, 10050e-6}};
    return m;
}

static const int two_hosts[] = {0, 0, 1, 1};

static void near(double seconds, double wanted) {
    if (!(fabs(seconds - wanted) < 1e-4 * wanted))
        fail_msg("%.9g s instead of %.9g s", seconds, wanted);
}

/* bytes to and from one or more ranks, in as many messages, over a class. */
static void exchange(struct rank_traffic *rank, enum link_class class, double bytes,
                     double messages) {
    rank->sent[class] += bytes * messages;
    rank->received[class] += bytes * messages;
    rank->messages[class] += messages;
    if (class == LINK_NETWORK)
        rank->flow = fmax(rank->flow, bytes);
}

static void curves_are_interpolated(void **state) {
    (void)state;
    const struct link_model m = made_up();
    const struct link_curve *c = &m.shared[LINK_SHARED_L3], none = {0}, one = {1, {100}, {1e-6}},
                            falls = {2, {100, 200}, {2e-6, 1e-6}};
    near(link_curve_seconds(c, 0), 1e-6);
    near(link_curve_seconds(c, 8), 1e-6);
    near(link_curve_seconds(c, 1 * MB), 101e-6);
    near(link_curve_seconds(c, 2 * MB), 201e-6);
    near(link_curve_seconds(c, 80 * MB), 8001e-6); /* beyond the last point */
    near(link_curve_seconds(&one, 50), 1e-6);
    near(link_curve_seconds(&one, 300), 3e-6);
    near(link_curve_seconds(&falls, 150), 1.5e-6);
    near(link_curve_seconds(&falls, 400), 2e-6);
    assert_true(isnan(link_curve_seconds(&none, 8)));
}

/* Two groups of two, each inside a host; half of what a rank has stays on it. */
static void inside_a_host(void **state) {
    (void)state;
    const struct link_model m = made_up();
    struct rank_traffic step[4] = {{{0}}};
    for (int r = 0; r < 4; r++) {
        exchange(&step[r], LINK_SHARED_L3, 1 * MB, 1);
        step[r].own = 1 * MB;
    }
    near(link_model_predict(&m, false, step, 1, two_hosts, 4), 201e-6);
    step[2].messages[LINK_SHARED_L3] = 3; /* Q, K and V apart: two more, on one rank */
    near(link_model_predict(&m, false, step, 1, two_hosts, 4), 203e-6);
}

/* Cold caches have curves of their own; two classes share a rank's time by their bytes. */
static void out_of_cold_caches(void **state) {
    (void)state;
    struct link_model m = made_up();
    struct rank_traffic step[1] = {{{0}}};
    const int host = 0;
    exchange(&step[0], LINK_SHARED_L3, 1 * MB, 1);
    near(link_model_predict(&m, false, step, 1, &host, 1), 101e-6);
    assert_true(isnan(link_model_predict(&m, true, step, 1, &host, 1)));
    m.cold[LINK_SHARED_L3] = (struct link_curve){2, {8, 8 * MB}, {4e-6, 2404e-6}};
    near(link_model_predict(&m, true, step, 1, &host, 1), 304e-6);
    /* 1 of 4 MB and 3 of 4 MB. */
    m.cold[LINK_SAME_NUMA] = (struct link_curve){2, {8, 4 * MB}, {1e-6, 801e-6}};
    exchange(&step[0], LINK_SAME_NUMA, 3 * MB, 1);
    near(link_model_predict(&m, true, step, 1, &host, 1), 1204e-6 / 4 + 801e-6 * 3 / 4);
}

/* The same two groups, each across the hosts: both ranks of a host send 1 MB over its link. */
static void across_hosts(void **state) {
    (void)state;
    const struct link_model m = made_up();
    struct rank_traffic step[4] = {{{0}}};
    for (int r = 0; r < 4; r++) {
        exchange(&step[r], LINK_NETWORK, 1 * MB, 1);
        step[r].own = 1 * MB;
    }
    near(link_model_predict(&m, false, step, 1, two_hosts, 4), 50e-6 + 2.0 / 120);
}

/* A ring 0, 1, 2, 3 over two hosts: 1 sends to 2 and 3 to 0, so a host's link carries one flow each
 * way, and that goes no faster than a pair alone. Three hops. */
static void ring_over_two_hosts(void **state) {
    (void)state;
    const struct link_model m = made_up();
    struct rank_traffic hops[3][4] = {{{{0}}}};
    for (int hop = 0; hop < 3; hop++)
        for (int r = 0; r < 4; r++) {
            struct rank_traffic *t = &hops[hop][r];
            t->sent[r % 2 ? LINK_NETWORK : LINK_SHARED_L3] = 1 * MB;
            t->received[r % 2 ? LINK_SHARED_L3 : LINK_NETWORK] = 1 * MB;
            t->messages[LINK_SHARED_L3] = t->messages[LINK_NETWORK] = 1;
            t->flow = 1 * MB;
        }
    near(link_model_predict(&m, false, hops[0], 3, two_hosts, 4), 3 * 10050e-6);
}

/* An all-to-all of four ranks: to each other one 1 MB, so 4 MB leave each host; and two steps, of
 * which the second stays inside the hosts. */
static void alltoall_over_two_hosts(void **state) {
    (void)state;
    const struct link_model m = made_up();
    struct rank_traffic steps[2][4] = {{{{0}}}};
    for (int r = 0; r < 4; r++) {
        exchange(&steps[0][r], LINK_NETWORK, 1 * MB, 2);
        exchange(&steps[0][r], LINK_SHARED_L3, 1 * MB, 1);
        exchange(&steps[1][r], LINK_SHARED_L3, 8 * MB, 1);
    }
    near(link_model_predict(&m, false, steps[0], 2, two_hosts, 4), 50e-6 + 4.0 / 120 + 801e-6);
}

/* No prediction is better than one from half of the links. */
static void unmeasured_links_predict_nothing(void **state) {
    (void)state;
    struct link_model m = made_up();
    struct rank_traffic step[4] = {{{0}}};
    exchange(&step[1], LINK_SAME_NUMA, 8, 1);
    assert_true(isnan(link_model_predict(&m, false, step, 1, two_hosts, 4)));
    step[1] = (struct rank_traffic){{0}};
    near(1 + link_model_predict(&m, false, step, 1, two_hosts, 4), 1);
    m.host_bytes_per_s = 0;
    exchange(&step[1], LINK_NETWORK, 8, 1);
    assert_true(isnan(link_model_predict(&m, false, step, 1, two_hosts, 4)));
    /* A rank alone on its host: its own bytes are left out. */
    m = (struct link_model){.network = m.network, .host_bytes_per_s = 120 * MB};
    step[1].own = 1 * MB;
    near(link_model_predict(&m, false, step, 1, two_hosts, 4), 50e-6 + 8 / (120 * MB));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_interpolated),
        cmocka_unit_test(inside_a_host),
        cmocka_unit_test(out_of_cold_caches),
        cmocka_unit_test(across_hosts),
        cmocka_unit_test(ring_over_two_hosts),
        cmocka_unit_test(alltoall_over_two_hosts),
        cmocka_unit_test(unmeasured_links_predict_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
