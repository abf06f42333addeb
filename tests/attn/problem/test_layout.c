#include "attn/problem/layout.h"

#include <string.h>

#include "attn/problem/mask.h"
#include "tests/cmocka_all.h"

enum { MAX_SEQ = 240 };

static void every_token_has_one_rank(void **state) {
    (void)state;
    for (int l = 0; l < LAYOUTS; l++)
        for (int p = 1; p <= 8; p++) {
            const int32_t seq = 6 * p;
            char seen[MAX_SEQ] = {0};
            for (int r = 0; r < p; r++) {
                int32_t pos[MAX_SEQ];
                layout_positions((enum layout)l, seq, p, r, pos);
                for (int i = 0; i < seq / p; i++) {
                    assert_in_range(pos[i], 0, seq - 1);
                    assert_int_equal(seen[pos[i]]++, 0);
                }
            }
        }
}

static void places(void **state) {
    (void)state;
    static const struct {
        enum layout layout;
        int rank;
        int32_t pos[6];
    } cases[] = {
        {LAYOUT_CONTIGUOUS, 1, {6, 7, 8, 9, 10, 11}},
        {LAYOUT_ZIGZAG, 0, {0, 1, 2, 9, 10, 11}},
        {LAYOUT_ZIGZAG, 1, {3, 4, 5, 6, 7, 8}},
        {LAYOUT_STRIPED, 1, {1, 3, 5, 7, 9, 11}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int32_t pos[6];
        layout_positions(cases[i].layout, 12, 2, cases[i].rank, pos);
        assert_memory_equal(pos, cases[i].pos, sizeof pos);
    }
}

static uint64_t work(enum layout layout, int32_t seq, int p, int rank) {
    const struct mask causal = {.causal = true};
    int32_t pos[MAX_SEQ];
    layout_positions(layout, seq, p, rank, pos);
    return mask_pairs_at(&causal, pos, seq / p, seq);
}

/* Zigzag gives every rank the same causal work; contiguous gives the last rank (2P-1)/P of the
 * mean. */
static void causal_balance(void **state) {
    (void)state;
    enum { P = 4, SEQ = 240 };
    const uint64_t mean = (uint64_t)SEQ * (SEQ + 1) / 2 / P;
    for (int r = 0; r < P; r++)
        assert_int_equal(work(LAYOUT_ZIGZAG, SEQ, P, r), mean);
    const double ratio = (double)work(LAYOUT_CONTIGUOUS, SEQ, P, P - 1) / (double)mean;
    assert_float_equal(ratio, (2.0 * P - 1) / P, 0.01);
}

/* Documents of one token, shorter than 2P, and that divide or do not; and padding behind them. */
static void documents_are_dealt_out(void **state) {
    (void)state;
    static const int32_t docs[] = {0, 1, 6, 70, 71, 103, 163};
    for (int p = 1; p <= 8; p++) {
        const int32_t seq = (163 + p - 1) / p * p;
        int seen[MAX_SEQ] = {0};
        for (int r = 0; r < p; r++) {
            int32_t pos[MAX_SEQ];
            for (int i = 0; i < MAX_SEQ; i++)
                pos[i] = -1;
            layout_zigzag_documents(docs, 6, seq, p, r, pos);
            for (int i = 0; i < seq / p; i++) {
                assert_in_range(pos[i], 0, seq - 1);
                assert_true(i == 0 || pos[i] > pos[i - 1]);
                seen[pos[i]]++;
            }
            assert_int_equal(pos[seq / p], -1);
        }
        for (int t = 0; t < seq; t++)
            assert_int_equal(seen[t], 1);
    }
}

/* Pairs of a rank's queries with the keys before them in their document. */
static uint64_t document_work(const int32_t *docs, int n, int32_t seq, int p, int rank) {
    int32_t pos[MAX_SEQ];
    uint64_t pairs = 0;
    layout_zigzag_documents(docs, n, seq, p, rank, pos);
    for (int i = 0; i < seq / p; i++)
        for (int d = 0; d < n; d++)
            if (docs[d] <= pos[i] && pos[i] < docs[d + 1])
                pairs += (uint64_t)(pos[i] - docs[d] + 1);
    return pairs;
}

/* Where chunks divide, exactly even; a single document is zigzag itself. */
static void documents_are_balanced(void **state) {
    (void)state;
    enum { P = 4, SEQ = 160 };
    static const int32_t docs[] = {0, 80, 96, 160}, one[] = {0, SEQ};
    for (int r = 0; r < P; r++) {
        int32_t a[SEQ], b[SEQ];
        assert_int_equal(document_work(docs, 3, SEQ, P, r), (80 * 81 + 16 * 17 + 64 * 65) / 2 / P);
        layout_zigzag_documents(one, 1, SEQ, P, r, a);
        layout_positions(LAYOUT_ZIGZAG, SEQ, P, r, b);
        assert_memory_equal(a, b, SEQ / P * sizeof a[0]);
    }
}

static void divides(void **state) {
    (void)state;
    char why[256] = "";
    assert_true(layout_divides(LAYOUT_CONTIGUOUS, 12, 4, why, sizeof why));
    assert_false(layout_divides(LAYOUT_ZIGZAG, 12, 4, why, sizeof why));
    assert_non_null(strstr(why, "use 8 or 16"));
    assert_false(layout_divides(LAYOUT_STRIPED, 3, 4, why, sizeof why));
    assert_non_null(strstr(why, "use 4"));
    assert_false(layout_divides(LAYOUT_CONTIGUOUS, 0, 4, why, sizeof why));
}

static void names(void **state) {
    (void)state;
    for (int l = 0; l < LAYOUTS; l++) {
        assert_non_null(layout_name((enum layout)l));
        assert_non_null(layout_help((enum layout)l));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_has_one_rank),
        cmocka_unit_test(places),
        cmocka_unit_test(causal_balance),
        cmocka_unit_test(documents_are_dealt_out),
        cmocka_unit_test(documents_are_balanced),
        cmocka_unit_test(divides),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
