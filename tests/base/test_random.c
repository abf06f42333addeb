#include "base/random.h"

#include <math.h>

#include "tests/cmocka_all.h"

/* Known answers published with the Random123 library for philox4x32-10. */
static void known_answers(void **state) {
    (void)state;
    static const struct {
        struct philox counter;
        uint32_t key[2];
        struct philox want;
    } cases[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct philox got = philox4x32(cases[i].counter, cases[i].key[0], cases[i].key[1]);
        assert_memory_equal(&got, &cases[i].want, sizeof got);
    }
}

/* A row read in pieces is the row read whole, whatever the pieces' alignment. */
static void pieces_agree(void **state) {
    (void)state;
    float whole[37], piece[37];
    random_row(whole, 37, 7, TENSOR_K, 1, 12345, 3, 0, 1.0f);
    for (uint32_t from = 0; from < 37; from++) {
        random_row(piece, 37 - from, 7, TENSOR_K, 1, 12345, 3, from, 1.0f);
        assert_memory_equal(piece, whole + from, (37 - from) * sizeof(float));
    }
}

static void uniform_moments(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    static float x[N];
    random_row(x, N, 1, TENSOR_Q, 0, 0, 0, 0, 1.0f);
    double sum = 0, square = 0, lag = 0;
    for (int i = 0; i < N; i++) {
        assert_true(x[i] >= -1.0f && x[i] < 1.0f);
        sum += x[i];
        square += (double)x[i] * x[i];
        lag += (double)x[i] * x[(i + 1) % N];
    }
    /* Standard errors are 0.0023, 0.0012 and 0.0013: five of each. */
    assert_true(fabs(sum / N) < 0.012);
    assert_true(fabs(square / N - 1.0 / 3) < 0.006);
    assert_true(fabs(lag / N) < 0.0065);
}

/* Neighbours in every coordinate differ. */
static void coordinates_matter(void **state) {
    (void)state;
    float a, b[6];
    random_row(&a, 1, 1, TENSOR_Q, 2, 3, 4, 8, 1.0f);
    random_row(&b[0], 1, 2, TENSOR_Q, 2, 3, 4, 8, 1.0f);
    random_row(&b[1], 1, 1, TENSOR_K, 2, 3, 4, 8, 1.0f);
    random_row(&b[2], 1, 1, TENSOR_Q, 3, 3, 4, 8, 1.0f);
    random_row(&b[3], 1, 1, TENSOR_Q, 2, 4, 4, 8, 1.0f);
    random_row(&b[4], 1, 1, TENSOR_Q, 2, 3, 5, 8, 1.0f);
    random_row(&b[5], 1, 1, TENSOR_Q, 2, 3, 4, 9, 1.0f);
    for (int i = 0; i < 6; i++)
        assert_true(a != b[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(pieces_agree),
        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(coordinates_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
