/* Bytes that cross hosts, by hand: 1024 tokens, 32 query and 8 KV heads of 128 in fp32, four ranks.
 */
#include "bench/links/advice.h"

#include <math.h>
#include <string.h>

#include "tests/cmocka_all.h"

static const double MIB = 1 << 20;

/* Hosts of two ranks each. */
static double crossing(int ulysses_size, bool ring_inner, bool sp_outer, int sp_size,
                       bool backward) {
    struct place places[4];
    const struct placement_shape p = {sp_size, 4 / sp_size, sp_outer, ulysses_size, ring_inner};
    const struct advice_case c = {
        .shape = {1, 1024, 32, 8, 128, sp_size, ulysses_size, sp_size / ulysses_size, 4, 4},
        .forward = true,
        .backward = backward,
    };
    memset(places, 0, sizeof places);
    for (int r = 0; r < 4; r++)
        places[r].host_key = (uint64_t)(r / 2);
    return advice_crossing(places, &p, &c, LINK_NETWORK);
}

static void near(double bytes, double wanted) {
    if (!(fabs(bytes - wanted) < 1))
        fail_msg("%.0f bytes instead of %.0f", bytes, wanted);
}

static void bytes_between_hosts(void **state) {
    (void)state;
    /* A rank's Q is 4 MiB, its K and V 2 MiB. To two of three others: 2/3 of 3/4 (2 * 4 + 2). */
    near(crossing(4, false, false, 4, false), 5 * MIB);
    near(crossing(4, false, false, 4, true), 10 * MIB);
    /* Ulysses inside the hosts: K and V of two ranks' tokens, half of the heads, one hop. */
    near(crossing(2, false, false, 4, false), 2 * MIB);
    near(crossing(2, false, false, 4, true), (2 + 4) * MIB);
    /* Rings inside the hosts: half of the rank's 10 MiB. */
    near(crossing(2, true, false, 4, false), 5 * MIB);
    /* A ring of four: every other hop, three times 2 MiB. */
    near(crossing(1, true, false, 4, false), 3 * MIB);
    /* Two groups, inside the hosts and across them: a rank's Q is 8 MiB then. */
    near(crossing(2, false, false, 2, false), 0);
    near(crossing(2, false, true, 2, false), 10 * MIB);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_between_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
