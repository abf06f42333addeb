#include "bench/options/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "attn/formula/method.h"
#include "bench/commands/command_line.h"
#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* A command line and the sweep it makes. */
struct fixture {
    char text[512];
    char *argv[32];
    struct options options;
    struct sweep *sweep;
};

static void make(struct fixture *f, const char *line, int ranks) {
    int argc = 0;
    snprintf(f->text, sizeof f->text, "spbench\n%s", line);
    for (char *word = strtok(f->text, "\n"); word; word = strtok(NULL, "\n"))
        f->argv[argc++] = word;
    assert_int_equal(options_parse(&command_line, argc, f->argv, &f->options), ST_OK);
    assert_int_equal(sweep_create(&f->options, ranks, &f->sweep), ST_OK);
}

static void unmake(struct fixture *f) {
    sweep_free(f->sweep);
    options_free(&f->options);
}

static struct options options_of(const struct fixture *f, size_t i) {
    struct options o;
    sweep_options(f->sweep, i, &o);
    return o;
}

/* Later rows of the table vary fastest: method inside sp inside seq, however they are given. */
static void order(void **state) {
    (void)state;
    struct fixture f;
    make(&f, "attn\n--method=ring,ulysses\n--sp=1,2\n--seq=4k,1k,2k", 2);
    assert_int_equal(sweep_count(f.sweep), 12);
    static const int64_t seqs[] = {4096, 1024, 2048};
    static const struct sp_method *const methods[] = {&sp_ring, &sp_ulysses};
    for (size_t i = 0; i < 12; i++) {
        const struct options o = options_of(&f, i);
        assert_int_equal(o.seq, seqs[i / 4]);
        assert_int_equal(o.sp, i / 2 % 2 + 1);
        assert_ptr_equal(o.method, methods[i % 2]);
        assert_string_equal(o.mask, "causal");
        assert_int_equal(o.ranks.v[0].i, 2);
    }
    unmake(&f);
}

/* Options that are no variables, or have no value, read as in the options. */
static void other_options(void **state) {
    (void)state;
    struct fixture f;
    make(&f, "attn\n--rel-ci=1%\n--core-only\n--seq=1k,2k\n--method=ring", 0);
    assert_int_equal(sweep_count(f.sweep), 2);
    const struct options o = options_of(&f, 1);
    assert_true(o.rel_ci == 0.01);
    assert_true(o.core_only);
    assert_true(o.check);
    assert_int_equal(o.seq, 2048);
    assert_null(o.model);
    assert_int_equal(o.bytes, 0);
    unmake(&f);
}

/* In a launch the number of ranks is what it is; before, every entry is a launch to come. */
static void ranks(void **state) {
    (void)state;
    struct fixture f;
    make(&f, "comm\n-n2,4\n--bytes=1k,2k", 0);
    assert_int_equal(sweep_count(f.sweep), 4);
    assert_int_equal(options_of(&f, 1).ranks.v[0].i, 2);
    assert_int_equal(options_of(&f, 2).ranks.v[0].i, 4);
    unmake(&f);
    make(&f, "comm\n-n2,4\n--bytes=1k,2k", 4);
    assert_int_equal(sweep_count(f.sweep), 2);
    assert_int_equal(options_of(&f, 0).ranks.v[0].i, 4);
    assert_int_equal(options_of(&f, 1).ranks.v[0].i, 4);
    unmake(&f);
}

static char *name_of(const struct fixture *f, size_t i) {
    const struct options o = options_of(f, i);
    return sweep_case_name(f->sweep, &o);
}

static void case_names(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int ranks;
        size_t i;
        const char *want;
    } cases[] = {
        {"comm\n--bytes=1k,64k", 4, 1,
         "comm batch=1 bind=core bytes=65536 cache=warm device=cpu dp_shard=auto dtype=fp32 "
         "fuse_qkv=on grad_dtype=fp32 inner=ulysses mpi_algo=auto op=alltoall pass=fwd "
         "placement=sp-inner ranks=4 ring_direction=one sp=auto sync=barrier threads=auto "
         "transport=auto ulysses_size=auto wait=auto"},
        {"attn\n--model=/a b/100%\tx.json\n--seq=4k\n--sp=2\n--kv-heads=8\n--core-only", 2, 1,
         "attn batch=1 bind=core cache=warm core_only=1 device=cpu dp_shard=auto dtype=fp32 "
         "fuse_qkv=on grad_dtype=fp32 inner=ulysses kernel=auto kv_groups=1 kv_heads=8 layout=auto "
         "mask=causal method=ring model=\"/a b/100%\\u0009x.json\" mpi_algo=auto overlap=on pad=0 "
         "pass=fwdbwd placement=sp-inner ranks=2 seq=4096 sp=2 sync=barrier threads=auto "
         "transport=auto ulysses_size=auto wait=auto"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        make(&f, cases[i].line, cases[i].ranks);
        char *name = name_of(&f, cases[i].i);
        assert_string_equal(name, cases[i].want);
        free(name);
        unmake(&f);
    }
}

/* Names are what runs are paired by: all differ. */
static void names_differ(void **state) {
    (void)state;
    struct fixture f;
    make(&f, "attn\n-n1,2\n--sp=auto,1-3\n--seq=1k-8k*2\n--mask=full,causal", 0);
    const size_t n = sweep_count(f.sweep);
    assert_int_equal(n, 2 * 4 * 4 * 2 * 2);
    char **names = calloc(n, sizeof *names);
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        names[i] = name_of(&f, i);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(names[i], names[j]);
    }
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    unmake(&f);
}

static void bounded(void **state) {
    (void)state;
    struct fixture f;
    make(&f, "comm\n--bytes=1-1000\n--seq=1-100", 1); /* exactly at the bound */
    assert_int_equal(sweep_count(f.sweep), SWEEP_MAX_CASES);
    assert_int_equal(options_of(&f, SWEEP_MAX_CASES - 1).bytes, 1000);
    unmake(&f);

    /* Beyond 64 bits: the product must not wrap round to something small. */
    char *argv[] = {"spbench",          "comm",        "--bytes=1-4096", "--seq=1-4096",
                    "--heads=1-4096",   "--sp=1-4096", "--batch=1-4096", "--kv-heads=1-4096",
                    "--dp-shard=1-4096"};
    struct capture c;
    struct sweep *sweep;
    assert_int_equal(options_parse(&command_line, 9, argv, &f.options), ST_OK);
    capture_begin(&c);
    const enum status st = sweep_create(&f.options, 1, &sweep);
    capture_end(&c);
    assert_int_equal(st, ST_USAGE);
    assert_null(sweep);
    assert_non_null(strstr(c.text, "1.93428131138341e+25")); /* 4096^7 */
    options_free(&f.options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),      cmocka_unit_test(other_options), cmocka_unit_test(ranks),
        cmocka_unit_test(case_names), cmocka_unit_test(names_differ),  cmocka_unit_test(bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
