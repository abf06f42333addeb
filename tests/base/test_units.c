#include "base/text/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/cmocka_all.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef const char *(*parser)(const char *, int64_t *);

static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        parser parse;
        int64_t want; /* -1: refused */
    } cases[] = {
        {"0", parse_count, 0},
        {"7", parse_count, 7},
        {"007", parse_count, 7},
        {"4k", parse_count, 4096},
        {"4K", parse_count, 4096},
        {"1.5g", parse_count, 1610612736},
        {"0.5k", parse_count, 512},
        {"2.0", parse_count, 2},
        {"1.000000000", parse_count, 1},
        {"9223372036854775807", parse_count, INT64_MAX},
        {"8589934591g", parse_count, 8589934591 << 30},
        {"64KiB", parse_size, 65536},
        {"64kb", parse_size, 65536},
        {"64k", parse_size, 65536},
        {"512b", parse_size, 512},
        {"512B", parse_size, 512},
        {"1.5GiB", parse_size, 1610612736},
        {"", parse_count, -1},
        {"", parse_size, -1},
        {"-1", parse_count, -1},
        {"+1", parse_count, -1},
        {" 1", parse_count, -1},
        {"1 ", parse_count, -1},
        {"k", parse_count, -1},
        {".5k", parse_count, -1},
        {"1.k", parse_count, -1},
        {"1.3k", parse_count, -1}, /* 1331.2 */
        {"0.5", parse_count, -1},
        {"1..5k", parse_count, -1},
        {"1.0000000001k", parse_count, -1},
        {"0x10", parse_count, -1},
        {"1e3", parse_count, -1},
        {"4kk", parse_count, -1},
        {"4t", parse_count, -1},
        {"4kb", parse_count, -1}, /* bytes are not tokens */
        {"4kibs", parse_size, -1},
        {"4ib", parse_size, -1},
        {"4ki", parse_size, -1},
        {"9223372036854775808", parse_count, -1},
        {"8589934592g", parse_count, -1},
        {"99999999999999999999999999", parse_count, -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t got = -1;
        const char *wrong = cases[i].parse(cases[i].text, &got);
        if (got != cases[i].want || (wrong == NULL) != (cases[i].want >= 0))
            fail_msg("'%s': got %lld (%s)", cases[i].text, (long long)got, wrong ? wrong : "ok");
    }
}

static void durations_and_reals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *(*parse)(const char *, double *);
        double want; /* -1: refused */
    } cases[] = {
        {"10", parse_duration, 10},    {"500ms", parse_duration, 0.5},
        {"2s", parse_duration, 2},     {"1.5m", parse_duration, 90},
        {"1h", parse_duration, 3600},  {"10us", parse_duration, 1e-5},
        {"5ns", parse_duration, 5e-9}, {"0", parse_duration, 0},
        {"", parse_duration, -1},      {"ms", parse_duration, -1},
        {"-1s", parse_duration, -1},   {"1 s", parse_duration, -1},
        {"1sec", parse_duration, -1},  {"1e3s", parse_duration, -1},
        {"inf", parse_duration, -1},   {"nan", parse_duration, -1},
        {"2%", parse_real, 0.02},      {"0.02", parse_real, 0.02},
        {"1e-3", parse_real, 1e-3},    {"100%", parse_real, 1},
        {"", parse_real, -1},          {"%", parse_real, -1},
        {"-2", parse_real, -1},        {"2%%", parse_real, -1},
        {"inf", parse_real, -1},       {"nan", parse_real, -1},
        {"0x1p3", parse_real, -1},     {"1e999", parse_real, -1},
        {"1-2", parse_real, -1},       {"1e", parse_real, -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double got = -1;
        const char *wrong = cases[i].parse(cases[i].text, &got);
        if (fabs(got - cases[i].want) > 1e-12 * fabs(cases[i].want) ||
            (wrong == NULL) != (cases[i].want >= 0))
            fail_msg("'%s': got %g (%s)", cases[i].text, got, wrong ? wrong : "ok");
    }
}

/* Expands to "a b c", or to "!" when refused. */
static void expand(const char *text, parser parse, char *out, size_t size) {
    static int64_t values[RANGE_MAX_VALUES];
    size_t n = 0, used = 0;
    snprintf(out, size, "!");
    if (parse_range(text, parse, values, &n))
        return;
    for (size_t i = 0; i < n && used < size; i++)
        used +=
            (size_t)snprintf(out + used, size - used, i ? " %lld" : "%lld", (long long)values[i]);
}

static void ranges(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
        parser parse;
    } cases[] = {
        {"4", "4", parse_count},
        {"1-4", "1 2 3 4", parse_count},
        {"4-4", "4", parse_count},
        {"2-8+2", "2 4 6 8", parse_count},
        {"2-9+3", "2 5 8", parse_count},
        {"4k-64k*2", "4096 8192 16384 32768 65536", parse_count},
        {"1k-60k*4", "1024 4096 16384", parse_size},
        {"1KiB-2KiB+512b", "1024 1536 2048", parse_size},
        {"0-2", "0 1 2", parse_count},
        {"4611686018427387904-9223372036854775807*2", "4611686018427387904", parse_count},
        {"9223372036854775806-9223372036854775807", "9223372036854775806 9223372036854775807",
         parse_count},
        {"8-2", "!", parse_count},
        {"1-8*1", "!", parse_count},
        {"1-8*0", "!", parse_count},
        {"1-8+0", "!", parse_count},
        {"0-8*2", "!", parse_count},
        {"1-", "!", parse_count},
        {"-4", "!", parse_count},
        {"1-4*", "!", parse_count},
        {"1-4+", "!", parse_count},
        {"1-4-8", "!", parse_count},
        {"1-4*2*2", "!", parse_count},
        {"1*4", "!", parse_count},
        {"", "!", parse_count},
        {"1-4097", "!", parse_count}, /* 4097 values */
        {"1-9223372036854775807", "!", parse_count},
    };
    char got[256];
    for (size_t i = 0; i < COUNT(cases); i++) {
        expand(cases[i].text, cases[i].parse, got, sizeof got);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("'%s': got '%s', want '%s'", cases[i].text, got, cases[i].want);
    }
}

/* The bound is on the list as a whole, and exactly at the bound is fine. */
static void bounded_over_elements(void **state) {
    (void)state;
    static int64_t values[RANGE_MAX_VALUES];
    size_t n = 0;
    assert_null(parse_range("1-4095", parse_count, values, &n));
    assert_null(parse_range("9999", parse_count, values, &n));
    assert_int_equal(n, RANGE_MAX_VALUES);
    assert_int_equal(values[4095], 9999);
    assert_non_null(parse_range("1", parse_count, values, &n));
}

static void formats(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0 B"},
        {512, "512 B"},
        {1023, "1023 B"},
        {65536, "64 KiB"},
        {1048575, "1 MiB"},
        {1610612736, "1.5 GiB"},
        {280 * 0x1p20, "280 MiB"},
        {3000 * 0x1p40, "3000 TiB"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(format_bytes(cases[i].value).s, cases[i].want);
    format_bytes(-1e300); /* still fits */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers), cmocka_unit_test(durations_and_reals),
        cmocka_unit_test(ranges),        cmocka_unit_test(bounded_over_elements),
        cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
