#include "comm/op/pairs.h"

#include <string.h>

#include "tests/cmocka_all.h"

enum { MOST = 17 };

/* Each two ranks meet once; the pairs of a round are disjoint, and cover all ranks but one bye
 * where the number is odd. */
static void every_two_meet_once(void **state) {
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++) {
        int met[MOST][MOST] = {{0}};
        for (int round = 0; round < tournament_rounds(ranks); round++) {
            int byes = 0;
            for (int a = 0; a < ranks; a++) {
                const int b = tournament_peer(ranks, round, a);
                assert_in_range(b + 1, 0, ranks);
                assert_int_not_equal(b, a);
                byes += b < 0;
                if (b < 0)
                    continue;
                assert_int_equal(tournament_peer(ranks, round, b), a); /* so pairs are disjoint */
                met[a][b]++;
            }
            assert_int_equal(byes, ranks % 2);
        }
        for (int a = 0; a < ranks; a++)
            for (int b = 0; b < ranks; b++)
                assert_int_equal(met[a][b], a != b);
    }
}

/* No schedule has fewer rounds. */
static void rounds_are_few(void **state) {
    (void)state;
    assert_int_equal(tournament_rounds(1), 0);
    assert_int_equal(tournament_rounds(2), 1);
    assert_int_equal(tournament_rounds(7), 7);
    assert_int_equal(tournament_rounds(8), 7);
    /* Near the largest world there is, without overflow. */
    const int ranks = 65536, round = 65534;
    const int peer = tournament_peer(ranks, round, ranks - 1);
    assert_in_range(peer, 0, ranks - 2);
    assert_int_equal(tournament_peer(ranks, round, peer), ranks - 1);
}

static void sizes_rise_to_the_largest(void **state) {
    (void)state;
    static const size_t largest[] = {4, 8, 9, 33, 4096, 4097, 4 << 20, (size_t)1 << 40};
    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        size_t sizes[PAIRS_SIZES];
        const int n = pairs_sizes(largest[i], 4, sizes);
        assert_in_range(n, 1, PAIRS_SIZES);
        assert_int_equal(sizes[n - 1], largest[i] / 4 * 4);
        for (int k = 0; k < n; k++) {
            assert_int_equal(sizes[k] % 4, 0);
            assert_true(k == 0 || (sizes[k] > sizes[k - 1] && sizes[k] <= 4 * sizes[k - 1]));
        }
        assert_true(n == 1 || sizes[0] == 8);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_two_meet_once),
        cmocka_unit_test(rounds_are_few),
        cmocka_unit_test(sizes_rise_to_the_largest),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
