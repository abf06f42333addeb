/* Every CPU kernel that this machine can run, against the reference. */
#include <math.h>
#include <string.h>

#include "attn/kernel.h"
#include "tests/attn/attn_case.h"
#include "tests/cmocka_all.h"

static const double TOLERANCE = 3e-5;

#define CONT LAYOUT_CONTIGUOUS
#define ZIG LAYOUT_ZIGZAG
#define STRIPE LAYOUT_STRIPED

static const struct attn_case cases[] = {
    /* name  batch heads kv d   q0 kv0 group  seq sp layout q_rank k_rank causal */
    {"one token", 1, 1, 1, 64, 0, 0, 1, 1, 1, CONT, 0, 0, true},
    {"MHA full", 1, 2, 2, 64, 0, 0, 1, 300, 1, CONT, 0, 0, false},
    {"MHA causal", 1, 2, 2, 128, 0, 0, 1, 777, 1, CONT, 0, 0, true},
    {"GQA batch 2", 2, 4, 2, 64, 0, 0, 2, 333, 1, CONT, 0, 0, true},
    {"MQA", 1, 3, 1, 80, 0, 0, 3, 129, 1, CONT, 0, 0, true},
    {"head_dim 8", 1, 1, 1, 8, 0, 0, 1, 100, 1, CONT, 0, 0, true},
    {"head_dim 96", 1, 1, 1, 96, 0, 0, 1, 257, 1, CONT, 0, 0, true},
    {"head_dim 256", 1, 1, 1, 256, 0, 0, 1, 600, 1, CONT, 0, 0, true},
    {"heads 2..3 of 4", 1, 2, 1, 64, 2, 1, 2, 200, 1, CONT, 0, 0, true},
    {"heads 1..2 across groups", 1, 2, 2, 64, 1, 0, 2, 200, 1, CONT, 0, 0, true},
    {"contiguous, keys before", 1, 1, 1, 64, 0, 0, 1, 600, 2, CONT, 1, 0, true},
    {"contiguous, keys after: nothing seen", 1, 2, 1, 64, 0, 0, 2, 600, 2, CONT, 0, 1, true},
    {"zigzag, own keys", 1, 2, 1, 64, 0, 0, 2, 1200, 2, ZIG, 0, 0, true},
    {"zigzag, outer on inner: half the rows see nothing", 2, 1, 1, 64, 0, 0, 1, 604, 2, ZIG, 0, 1,
     true},
    {"zigzag, inner on outer", 1, 1, 1, 64, 0, 0, 1, 1204, 2, ZIG, 1, 0, true},
    {"striped, later stripe", 1, 1, 1, 64, 0, 0, 1, 903, 3, STRIPE, 0, 2, true},
    {"striped, earlier stripe", 1, 2, 2, 64, 0, 0, 1, 903, 3, STRIPE, 2, 0, true},
    {"few queries on all keys", 1, 1, 1, 128, 0, 0, 1, 999, 9, STRIPE, 4, ALL_KEYS, true},
};

/* Runs body for each available kernel. */
static void for_each_kernel(void (*body)(const char *kernel)) {
    for (int i = 0; attn_kernels[i]; i++) {
        if (!attn_kernels[i]->available()) {
            print_message("skipped: this CPU cannot run %s\n", attn_kernels[i]->name);
            continue;
        }
        body(attn_kernels[i]->name);
    }
}

static struct device *open_kernel(const char *kernel, int head_dim, int threads) {
    const struct device_config config = {DTYPE_FP32, head_dim, threads, kernel};
    struct device *dev;
    assert_int_equal(device_open("cpu", &config, &dev), ST_OK);
    assert_string_equal(dev->kernel, kernel);
    return dev;
}

static void check_errors(const char *what, const char *kernel, struct errors e) {
    const double worst = fmax(fmax(e.o, e.lse), fmax(e.dq, fmax(e.dk, e.dv)));
    if (worst < TOLERANCE)
        return;
    fail_msg("%s, %s: errors o %.1e lse %.1e dq %.1e dk %.1e dv %.1e", kernel, what, e.o, e.lse,
             e.dq, e.dk, e.dv);
}

static void matches_on(const char *kernel) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = open_kernel(kernel, cases[i].head_dim, 2);
        struct problem *p = problem_new(dev, &cases[i]);
        problem_run(p);
        const struct errors e = problem_errors(p, 7);
        check_errors(cases[i].name, kernel, e);
        problem_free(p);
        dev->row->close(dev);
    }
}

static void matches_the_reference(void **state) {
    (void)state;
    for_each_kernel(matches_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
