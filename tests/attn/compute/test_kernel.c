/* Every CPU kernel that this machine can run, against the reference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn/compute/cpu/kernels.h"
#include "tests/attn/compute/attn_case.h"
#include "tests/cmocka_all.h"

/* Errors of a row; bf16 keeps 8 bits of O, of probabilities and of dS. */
static const double TOLERANCES[DTYPES] = {[DTYPE_FP32] = 3e-5, [DTYPE_BF16] = 2e-2};

#define CONT LAYOUT_CONTIGUOUS
#define ZIG LAYOUT_ZIGZAG
#define STRIPE LAYOUT_STRIPED

static const struct attn_case cases[] = {
    /* name  batch heads kv d   q0 kv0 group  seq sp layout q_rank k_rank mask */
    {"one token", 1, 1, 1, 64, 0, 0, 1, 1, 1, CONT, 0, 0, "causal"},
    {"MHA full", 1, 2, 2, 64, 0, 0, 1, 300, 1, CONT, 0, 0, "full"},
    {"MHA causal", 1, 2, 2, 128, 0, 0, 1, 777, 1, CONT, 0, 0, "causal"},
    {"GQA batch 2", 2, 4, 2, 64, 0, 0, 2, 333, 1, CONT, 0, 0, "causal"},
    {"MQA", 1, 3, 1, 80, 0, 0, 3, 129, 1, CONT, 0, 0, "causal"},
    {"head_dim 8", 1, 1, 1, 8, 0, 0, 1, 100, 1, CONT, 0, 0, "causal"},
    {"head_dim 96", 1, 1, 1, 96, 0, 0, 1, 257, 1, CONT, 0, 0, "causal"},
    {"head_dim 256", 1, 1, 1, 256, 0, 0, 1, 600, 1, CONT, 0, 0, "causal"},
    {"heads 2..3 of 4", 1, 2, 1, 64, 2, 1, 2, 200, 1, CONT, 0, 0, "causal"},
    {"heads 1..2 across groups", 1, 2, 2, 64, 1, 0, 2, 200, 1, CONT, 0, 0, "causal"},
    {"contiguous, keys before", 1, 1, 1, 64, 0, 0, 1, 600, 2, CONT, 1, 0, "causal"},
    {"contiguous, keys after: nothing seen", 1, 2, 1, 64, 0, 0, 2, 600, 2, CONT, 0, 1, "causal"},
    {"zigzag, own keys", 1, 2, 1, 64, 0, 0, 2, 1200, 2, ZIG, 0, 0, "causal"},
    {"zigzag, outer on inner: half the rows see nothing", 2, 1, 1, 64, 0, 0, 1, 604, 2, ZIG, 0, 1,
     "causal"},
    {"zigzag, inner on outer", 1, 1, 1, 64, 0, 0, 1, 1204, 2, ZIG, 1, 0, "causal"},
    {"striped, later stripe", 1, 1, 1, 64, 0, 0, 1, 903, 3, STRIPE, 0, 2, "causal"},
    {"striped, earlier stripe", 1, 2, 2, 64, 0, 0, 1, 903, 3, STRIPE, 2, 0, "causal"},
    {"few queries on all keys", 1, 1, 1, 128, 0, 0, 1, 999, 9, STRIPE, 4, ALL_KEYS, "causal"},
    {"window of one key", 1, 1, 1, 64, 0, 0, 1, 300, 1, CONT, 0, 0, "window:1"},
    {"window", 1, 2, 1, 128, 0, 0, 2, 1500, 1, CONT, 0, 0, "window:300"},
    {"window, keys before", 1, 1, 1, 64, 0, 0, 1, 1201, 2, CONT, 1, 0, "window:200"},
    {"window, stripes", 1, 1, 1, 64, 0, 0, 1, 1203, 3, STRIPE, 1, 2, "window:200"},
    {"window beyond the keys: nothing seen", 1, 1, 1, 64, 0, 0, 1, 1200, 3, CONT, 2, 0, "window:9"},
    {"documents", 2, 2, 1, 64, 0, 0, 2, 901, 1, CONT, 0, 0, "docs:7"},
    {"documents of one token", 1, 1, 1, 64, 0, 0, 1, 130, 1, CONT, 0, 0, "docs:130"},
    {"documents, zigzag", 1, 1, 1, 80, 0, 0, 1, 1212, 2, ZIG, 1, 0, "docs:5"},
    {"documents, stripes", 1, 1, 1, 64, 0, 0, 1, 904, 4, STRIPE, 3, 1, "docs:5"},
    {"documents, other rank's keys: nothing seen", 1, 1, 1, 64, 0, 0, 1, 800, 2, CONT, 1, 0,
     "docs:2"},
    {"documents with windows", 1, 2, 2, 96, 0, 0, 1, 1000, 1, CONT, 0, 0, "docs:3+window:100"},
    {"documents with windows, zigzag", 1, 1, 1, 64, 0, 0, 1, 1200, 2, ZIG, 1, 0,
     "docs:9+window:64+causal"},
};

/* Runs body for each available kernel. */
static void for_each_kernel(void (*body)(const struct attn_kernel *kernel)) {
    for (int i = 0; attn_kernels[i].name; i++) {
        if (attn_kernels[i].missing()) {
            print_message("skipped: %s: %s\n", attn_kernels[i].name, attn_kernels[i].missing());
            continue;
        }
        body(&attn_kernels[i]);
    }
}

static struct compute *open_kernel(const struct attn_kernel *kernel, int head_dim, int threads) {
    const struct compute_config config = {kernel->dtype, head_dim, threads, kernel->name};
    struct compute *compute;
    assert_int_equal(compute_open(&cpu_compute, &config, &compute), ST_OK);
    assert_string_equal(compute->kernel, kernel->name);
    return compute;
}

static void check_errors(const char *what, const struct attn_kernel *kernel, struct errors e) {
    const double worst = fmax(fmax(e.o, e.lse), fmax(e.dq, fmax(e.dk, e.dv)));
    if (worst < TOLERANCES[kernel->dtype])
        return;
    fail_msg("%s, %s: errors o %.1e lse %.1e dq %.1e dk %.1e dv %.1e", kernel->name, what, e.o,
             e.lse, e.dq, e.dk, e.dv);
}

static void matches_on(const struct attn_kernel *kernel) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct compute *compute = open_kernel(kernel, cases[i].head_dim, 2);
        struct problem *p = problem_new(compute, &cases[i]);
        problem_run(p);
        const struct errors e = problem_errors(p, 11);
        check_errors(cases[i].name, kernel, e);
        problem_free(p);
        compute_close(compute);
    }
}

static void matches_the_reference(void **state) {
    (void)state;
    for_each_kernel(matches_on);
}

/* A ring: blocks of keys arrive in any order, partial results are merged, gradients add up. */
static const struct attn_case whole_cases[] = {
    {"zigzag", 2, 4, 2, 64, 0, 0, 2, 528, 3, ZIG, 1, ALL_KEYS, "causal"},
    {"striped", 1, 2, 1, 64, 0, 0, 2, 402, 3, STRIPE, 2, ALL_KEYS, "causal"},
    {"contiguous, most blocks unseen", 1, 1, 1, 64, 0, 0, 1, 402, 3, CONT, 0, ALL_KEYS, "causal"},
    {"full", 1, 2, 2, 64, 0, 0, 1, 402, 3, CONT, 1, ALL_KEYS, "full"},
    {"documents", 1, 2, 1, 64, 0, 0, 2, 816, 3, ZIG, 1, ALL_KEYS, "docs:5"},
    {"window", 1, 1, 1, 64, 0, 0, 1, 402, 3, STRIPE, 1, ALL_KEYS, "window:50"},
};

/* Copies gradients of a block's keys to where their positions stand in the whole. */
static void place_rows(float *whole, const float *block, const struct attn_args *w,
                       const struct attn_args *b) {
    const size_t row = (size_t)b->kv_heads * (size_t)b->head_dim;
    for (int i = 0; i < b->batch; i++)
        for (int t = 0; t < b->k_tokens; t++)
            memcpy(whole + ((size_t)i * (size_t)w->k_tokens + (size_t)b->k_pos[t]) * row,
                   block + ((size_t)i * (size_t)b->k_tokens + (size_t)t) * row,
                   row * sizeof *whole);
}

static void ring(const struct attn_kernel *kernel, const struct attn_case *c) {
    struct compute *compute = open_kernel(kernel, c->head_dim, 1);
    struct problem *whole = problem_new(compute, c);
    struct attn_args *w = &whole->args;
    const struct rows_shape shape = {c->batch, w->q_tokens, c->heads, c->head_dim};
    const int rows = c->batch * w->q_tokens * c->heads;
    const size_t elements = (size_t)rows * (size_t)c->head_dim;
    float *o = calloc(elements, sizeof *o); /* a running result is fp32 */
    assert_non_null(o);
    for (int i = 0; i < rows; i++)
        w->lse[i] = -INFINITY;

    enum { MAX_SP = 3 };
    struct problem *blocks[MAX_SP];
    const int sp = c->sp;
    for (int step = 0; step < sp; step++) {
        struct attn_case part = *c;
        part.k_rank = (c->q_rank + sp - step) % sp;
        blocks[step] = problem_new(compute, &part);
        const struct attn_args *b = &blocks[step]->args;
        compute->row->attn_forward(compute, b);
        compute->row->merge(compute, shape, o, w->lse, b->o, b->lse);
    }
    compute->dev->row->convert(compute->dev, w->o, kernel->dtype, o, DTYPE_FP32, elements);
    free(o);
    compute->row->delta(compute, shape, w->o, w->dout, whole->delta);
    for (int step = 0; step < sp; step++) {
        struct attn_args b = blocks[step]->args;
        b.lse = w->lse;
        b.delta = w->delta;
        b.dq = w->dq;
        compute->row->attn_backward(compute, &b);
        place_rows(w->dk, b.dk, w, &b);
        place_rows(w->dv, b.dv, w, &b);
        problem_free(blocks[step]);
    }
    check_errors(c->name, kernel, problem_errors(whole, 5));
    problem_free(whole);
    compute_close(compute);
}

static void ring_on(const struct attn_kernel *kernel) {
    for (size_t i = 0; i < sizeof whole_cases / sizeof whole_cases[0]; i++)
        ring(kernel, &whole_cases[i]);
}

static void merged_blocks_match_the_reference(void **state) {
    (void)state;
    for_each_kernel(ring_on);
}

/* Position arrays that no layout makes: descending, and jumping forth and back. */
static void any_order_on(const struct attn_kernel *kernel) {
    const struct attn_case c = {"", 1, 1, 1, 64, 0, 0, 1, 180, 1, CONT, 0, 0, "causal"};
    struct compute *compute = open_kernel(kernel, c.head_dim, 1);
    struct problem *p = problem_new(compute, &c);
    int32_t q_pos[180], k_pos[180];
    for (int i = 0; i < 180; i++) {
        q_pos[i] = 179 - i;
        k_pos[i] = i * 77 % 180;
    }
    const int32_t *const owned[2] = {p->args.q_pos, p->args.k_pos};
    p->args.q_pos = q_pos;
    p->args.k_pos = k_pos;
    problem_run(p);
    check_errors("positions in any order", kernel, problem_errors(p, 1));
    p->args.q_pos = owned[0];
    p->args.k_pos = owned[1];
    problem_free(p);
    compute_close(compute);
}

static void positions_in_any_order(void **state) {
    (void)state;
    for_each_kernel(any_order_on);
}

/* A block in which no query sees a key: exactly nothing, and no NaN from -inf. */
static void unseen_on(const struct attn_kernel *kernel) {
    const struct attn_case c = {"", 1, 2, 1, 64, 0, 0, 2, 600, 2, CONT, 0, 1, "causal"};
    struct compute *compute = open_kernel(kernel, c.head_dim, 1);
    struct problem *p = problem_new(compute, &c);
    problem_run(p);
    const uint16_t *o = p->args.o; /* whatever the type: the bits of zeros */
    const int rows = p->args.heads * p->args.q_tokens;
    const size_t halves = dtype_bytes(kernel->dtype) / sizeof *o;
    for (size_t i = 0; i < (size_t)(rows * c.head_dim) * halves; i++)
        assert_int_equal(o[i], 0);
    for (int i = 0; i < rows; i++)
        assert_true(p->args.lse[i] == -INFINITY);
    for (int i = 0; i < rows * c.head_dim; i++)
        assert_true(p->args.dq[i] == 0);
    for (int i = 0; i < p->args.k_tokens * c.head_dim; i++)
        assert_true(p->args.dk[i] == 0 && p->args.dv[i] == 0);
    problem_free(p);
    compute_close(compute);
}

static void unseen_keys_give_nothing(void **state) {
    (void)state;
    for_each_kernel(unseen_on);
}

/* A thread more changes no bit, except that additions to dQ may come in another order. */
static void threads_on(const struct attn_kernel *kernel) {
    const struct attn_case c = {"", 1, 4, 2, 64, 0, 0, 2, 1100, 1, CONT, 0, 0, "causal"};
    struct compute *one = open_kernel(kernel, c.head_dim, 1);
    struct compute *two = open_kernel(kernel, c.head_dim, 2);
    struct problem *a = problem_new(one, &c), *b = problem_new(two, &c);
    problem_run(a);
    problem_run(b);
    const size_t rows = (size_t)a->args.heads * (size_t)a->args.q_tokens, d = (size_t)c.head_dim;
    const size_t kv_bytes = (size_t)a->args.kv_heads * (size_t)a->args.k_tokens * d * sizeof(float);
    assert_memory_equal(a->args.o, b->args.o, rows * d * dtype_bytes(kernel->dtype));
    assert_memory_equal(a->args.lse, b->args.lse, rows * sizeof(float));
    assert_memory_equal(a->args.dk, b->args.dk, kv_bytes);
    assert_memory_equal(a->args.dv, b->args.dv, kv_bytes);
    for (size_t i = 0; i < rows * d; i++)
        assert_true(fabsf(a->args.dq[i] - b->args.dq[i]) < 1e-5f);
    problem_free(a);
    problem_free(b);
    compute_close(one);
    compute_close(two);
}

static void one_and_two_threads_agree(void **state) {
    (void)state;
    for_each_kernel(threads_on);
}

static void count(void *calls) {
    ++*(int *)calls;
}

static void poll_on(const struct attn_kernel *kernel) {
    const struct attn_case c = {"", 1, 1, 1, 64, 0, 0, 1, 1024, 1, CONT, 0, 0, "causal"};
    struct compute *compute = open_kernel(kernel, c.head_dim, 1);
    struct problem *p = problem_new(compute, &c);
    int calls = 0;
    p->args.poll = count;
    p->args.poll_arg = &calls;
    compute->row->attn_forward(compute, &p->args);
    assert_true(calls >= 4);
    problem_free(p);
    compute_close(compute);
}

static void exchanges_are_polled(void **state) {
    (void)state;
    for_each_kernel(poll_on);
}

/* What the error measure is for: results that are missing, or of the wrong token, must not pass.
 * The error of tensor i (o, dq, dk, dv) of a problem. */
static double error_of(const struct problem *p, int i) {
    const struct errors e = problem_errors(p, 7);
    const double all[] = {e.o, e.dq, e.dk, e.dv};
    return all[i];
}

static void wrong_results_are_seen(void **state) {
    (void)state;
    enum { SEQ = 200, D = 64 };
    const struct attn_case c = {"", 1, 1, 1, D, 0, 0, 1, SEQ, 1, CONT, 0, 0, "causal"};
    const struct compute_config config = {DTYPE_FP32, D, 1, "auto"};
    struct compute *compute;
    assert_int_equal(compute_open(&cpu_compute, &config, &compute), ST_OK);
    struct problem *p = problem_new(compute, &c);
    problem_run(p);

    float *const tensors[] = {p->args.o, p->args.dq, p->args.dk, p->args.dv};
    for (int i = 0; i < 4; i++) {
        float saved[SEQ * D];
        memcpy(saved, tensors[i], sizeof saved);
        assert_true(error_of(p, i) < TOLERANCES[DTYPE_FP32]);
        memset(tensors[i], 0, sizeof saved);
        assert_true(error_of(p, i) > 0.5);
        memcpy(tensors[i] + D, saved, sizeof saved - D * sizeof *saved); /* one token late */
        assert_true(error_of(p, i) > 0.5);
        memcpy(tensors[i], saved, sizeof saved);
    }
    problem_free(p);
    compute_close(compute);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_reference),
        cmocka_unit_test(merged_blocks_match_the_reference),
        cmocka_unit_test(positions_in_any_order),
        cmocka_unit_test(unseen_keys_give_nothing),
        cmocka_unit_test(one_and_two_threads_agree),
        cmocka_unit_test(exchanges_are_polled),
        cmocka_unit_test(wrong_results_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
