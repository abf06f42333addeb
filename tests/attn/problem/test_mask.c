#include "attn/problem/mask.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

enum { SEQ = 12 };

static int32_t docs_a[] = {0, 5, 6, 12}, docs_b[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static const struct mask masks[] = {
    {.causal = false},
    {.causal = true},
    {.window = 1},
    {.causal = true, .window = 4},
    {.causal = true, .window = 100},
    {.causal = true, .n_docs = 3, .docs = docs_a},
    {.causal = true, .n_docs = 12, .docs = docs_b},
    {.causal = true, .window = 3, .n_docs = 3, .docs = docs_a},
    {.causal = false, .n_docs = 3, .docs = docs_a},
};
enum { MASKS = sizeof masks / sizeof masks[0] };

/* The definition, term by term. */
static bool sees(const struct mask *mask, int q, int k) {
    bool seen = true;
    if (mask->causal || mask->window)
        seen = seen && k <= q;
    if (mask->window)
        seen = seen && q - k < mask->window;
    for (int i = 1; i <= mask->n_docs; i++)
        seen = seen && (q < mask->docs[i]) == (k < mask->docs[i]);
    return seen;
}

static void masks_are_what_they_are_defined_as(void **state) {
    (void)state;
    for (int m = 0; m < MASKS; m++)
        for (int q = 0; q < SEQ + 2; q++) /* the last two: behind all documents */
            for (int k = 0; k < SEQ + 2; k++)
                assert_int_equal(mask_visible(&masks[m], q, k), sees(&masks[m], q, k));
    assert_true(mask_visible(&masks[0], 0, INT32_MAX - 1));
    assert_true(mask_visible(&masks[3], INT32_MAX - 1, INT32_MAX - 4));
}

static void interval_ends_never_decrease(void **state) {
    (void)state;
    for (int m = 0; m < MASKS; m++)
        for (int q = 1; q < SEQ + 2; q++) {
            const struct interval a = mask_interval(&masks[m], q - 1);
            const struct interval b = mask_interval(&masks[m], q);
            assert_true(a.lo <= b.lo && a.hi <= b.hi);
        }
}

static struct mask open_mask(const char *text, int32_t seq) {
    struct mask mask;
    char why[256] = "";
    assert_null(mask_check(text));
    assert_int_equal(mask_open(text, seq, &mask, why, sizeof why), ST_OK);
    assert_string_equal(why, "");
    return mask;
}

static void reads_terms(void **state) {
    (void)state;
    struct mask m = open_mask("full", 8);
    assert_true(!m.causal && m.window == 0 && m.n_docs == 0);
    m = open_mask("full+causal", 8);
    assert_true(m.causal && m.window == 0 && m.n_docs == 0);
    m = open_mask("window:1k", 8);
    assert_true(m.causal && m.window == 1024);
    m = open_mask("docs:4+window:3", 10);
    assert_true(m.causal && m.window == 3 && m.n_docs == 4);
    const int32_t want[] = {0, 2, 5, 7, 10};
    assert_memory_equal(m.docs, want, sizeof want);
    mask_close(&m);
    assert_true(m.docs == NULL && m.n_docs == 0);
    m = open_mask("causal+docs:10", 10);
    assert_int_equal(m.docs[10], 10);
    mask_close(&m);
}

static void refuses_what_is_no_mask(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "Causal",
        "causal+",
        "+causal",
        "causal:1",
        "full:",
        "docs",
        "docs:",
        "docs:0",
        "docs:3g",
        "window",
        "window:",
        "window:0",
        "window:-1",
        "window:1.5",
        "window:x",
        "docs:2,3",
        "causal+none",
        "docs:2+docs:3",
        "window:4+window:4",
        "docs:-",
        "window: 4",
        "causal + docs:2",
        "window:2147483648",
    };
    char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest, "docs:", 5);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        const char *text = i < sizeof bad / sizeof bad[0] ? bad[i] : longest;
        struct mask mask = {.causal = true};
        char why[256] = "";
        /* These two could be names of files. */
        const bool name = strcmp(text, "docs:2,3") == 0 || strcmp(text, "docs:-") == 0;
        assert_int_equal(mask_check(text) == NULL, name);
        assert_int_equal(mask_open(text, SEQ, &mask, why, sizeof why), ST_USAGE);
        assert_true(mask.causal); /* left alone */
        assert_string_equal(why, "");
    }
}

/* Writes a file of document lengths and opens a mask of it. */
static enum status open_file(const char *content, size_t bytes, int32_t seq, struct mask *mask,
                             char *why, size_t why_size, struct capture *said) {
    char path[] = "docs.XXXXXX", text[64];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, bytes), (ssize_t)bytes);
    close(fd);
    snprintf(text, sizeof text, "docs:%s", path);
    assert_null(mask_check(text));
    why[0] = '\0';
    capture_begin(said);
    const enum status st = mask_open(text, seq, mask, why, why_size);
    capture_end(said);
    unlink(path);
    return st;
}

static void reads_files(void **state) {
    (void)state;
    static const char *const good[] = {"5\n1\n6\n", "5 1 6", "\n\n 5\t1\r\n\v\f6   \n\n",
                                       "05 1 006"};
    struct mask m;
    struct capture said;
    char why[256];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(open_file(good[i], strlen(good[i]), SEQ, &m, why, sizeof why, &said),
                         ST_OK);
        assert_string_equal(why, "");
        assert_int_equal(m.n_docs, 3);
        assert_memory_equal(m.docs, docs_a, sizeof docs_a);
        mask_close(&m);
    }
    char many[2 * 1000];
    for (size_t i = 0; i < sizeof many; i += 2)
        memcpy(many + i, "1\n", 2);
    assert_int_equal(open_file(many, sizeof many, 1000, &m, why, sizeof why, &said), ST_OK);
    assert_int_equal(m.n_docs, 1000);
    for (int i = 0; i <= 1000; i++)
        assert_int_equal(m.docs[i], i);
    mask_close(&m);
}

/* Every message names the file and, where there is one, the line. */
static void refuses_malformed_files(void **state) {
    (void)state;
    static const struct {
        const char *content, *said;
    } bad[] = {
        {"", "no document lengths"},
        {" \n\t\n", "no document lengths"},
        {"5\n0\n7\n", ":2: '0'"},
        {"5\n1\n-6\n", ":3: '-6'"},
        {"5\n+1\n6\n", ":2: '+1'"},
        {"5,1,6\n", ":1: '5,1,6'"},
        {"5\n1.0\n6\n", ":2: '1.0'"},
        {"5\n\n\n1k\n", ":4: '1k'"},
        {"0x5 1 6", ":1: '0x5'"},
        {"five", ":1: 'five'"},
        {"# lengths\n5\n", ":1: '#'"},
        {"2147483648", ":1: '2147483648'"},
        {"9999999999999999999999999999999999999999", ":1: '99999999999999999999999'"},
        {"2147483647\n1\n", ":2: the documents so far"},
        {"5\n\x1b[31m\xff\n", ":2: '?[31m?'"},
    };
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        struct mask m = {.causal = true};
        struct capture said;
        char why[256];
        const bool last = i == sizeof bad / sizeof bad[0];
        const char *content = last ? "5\n1\0\n6\n" : bad[i].content;
        const size_t bytes = last ? 8 : strlen(content);
        const enum status st = open_file(content, bytes, SEQ, &m, why, sizeof why, &said);
        if (st != ST_USAGE || !strstr(said.text, last ? ":2: '1?'" : bad[i].said) ||
            !strstr(said.text, "docs."))
            fail_msg("file %zu: status %d, '%s'", i, (int)st, said.text);
        assert_true(m.causal);
    }
    struct mask m;
    char why[256] = "";
    assert_int_equal(mask_open("docs:./no-such-file", SEQ, &m, why, sizeof why), ST_USAGE);
    assert_int_equal(mask_open("docs:/", SEQ, &m, why, sizeof why), ST_USAGE);
    assert_int_equal(mask_open("docs:/dev/zero", SEQ, &m, why, sizeof why), ST_USAGE);
}

/* Another sequence of the same sweep may fit. */
static void says_why_a_sequence_does_not_fit(void **state) {
    (void)state;
    struct mask m;
    struct capture said;
    char why[256];
    assert_int_equal(open_file("5 1 6", 5, 13, &m, why, sizeof why, &said), ST_OK);
    assert_non_null(strstr(why, "--seq 12"));
    assert_true(!m.causal && m.docs == NULL);
    why[0] = '\0';
    assert_int_equal(mask_open("docs:13+window:2", SEQ, &m, why, sizeof why), ST_OK);
    assert_non_null(strstr(why, "--seq 13"));
    assert_true(!m.causal && m.docs == NULL && m.window == 0);
}

static void documents_are_found(void **state) {
    (void)state;
    static const int want[] = {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 3, 3};
    for (int32_t pos = 0; pos < SEQ + 2; pos++) {
        assert_int_equal(mask_document(&masks[5], pos), want[pos]);
        assert_int_equal(mask_document(&masks[1], pos), 0);
    }
}

/* Visible pairs of a block, one by one. */
static int count_block(const struct mask *mask, int q0, int q1, int k0, int k1) {
    int n = 0;
    for (int q = q0; q <= q1; q++)
        for (int k = k0; k <= k1; k++)
            n += mask_visible(mask, q, k);
    return n;
}

static void blocks_are_classified(void **state) {
    (void)state;
    for (int m = 0; m < MASKS; m++)
        for (int q0 = 0; q0 < SEQ; q0++)
            for (int q1 = q0; q1 < SEQ; q1++)
                for (int k0 = 0; k0 < SEQ; k0++)
                    for (int k1 = k0; k1 < SEQ; k1++) {
                        const int seen = count_block(&masks[m], q0, q1, k0, k1);
                        const int all = (q1 - q0 + 1) * (k1 - k0 + 1);
                        const enum mask_cover want = seen == 0     ? MASK_NONE
                                                     : seen == all ? MASK_ALL
                                                                   : MASK_PARTIAL;
                        assert_int_equal(mask_classify(&masks[m], q0, q1, k0, k1), want);
                    }
}

static void pairs_are_counted(void **state) {
    (void)state;
    int32_t all[SEQ];
    for (int i = 0; i < SEQ; i++)
        all[i] = i;
    for (int m = 0; m < MASKS; m++) {
        const int want = count_block(&masks[m], 0, SEQ - 1, 0, SEQ - 1);
        assert_int_equal(mask_visible_pairs(&masks[m], SEQ), want);
        assert_int_equal(mask_pairs_at(&masks[m], all, SEQ, SEQ), want);
    }
    const struct mask causal = {.causal = true}, full = {0}, window = {.window = 512};
    const uint64_t n = 131072;
    assert_true(mask_visible_pairs(&causal, (int32_t)n) == n * (n + 1) / 2);
    assert_true(mask_visible_pairs(&full, (int32_t)n) == n * n);
    assert_true(mask_visible_pairs(&window, (int32_t)n) == (n - 512) * 512 + 512 * 513 / 2);
    struct mask docs = open_mask("docs:8+causal", 32768);
    assert_true(mask_visible_pairs(&docs, 32768) == UINT64_C(8) * 4096 * 4097 / 2);
    mask_close(&docs);
    const int32_t some[] = {9, 0, 4};
    assert_int_equal(mask_pairs_at(&causal, some, 3, SEQ), 10 + 1 + 5);
    assert_int_equal(mask_pairs_at(&causal, some, 3, 6), 6 + 1 + 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_what_they_are_defined_as),
        cmocka_unit_test(interval_ends_never_decrease),
        cmocka_unit_test(reads_terms),
        cmocka_unit_test(refuses_what_is_no_mask),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(refuses_malformed_files),
        cmocka_unit_test(says_why_a_sequence_does_not_fit),
        cmocka_unit_test(documents_are_found),
        cmocka_unit_test(blocks_are_classified),
        cmocka_unit_test(pairs_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
