/* SP methods x splits and orders x masks x layouts x types x passes x options, whole layers and
 * attention alone, against the layer in double precision: every row of every tensor, the bytes that
 * every rank sends, and the memory of every category.
 *
 * By default cases in which every two values of any two dimensions meet. SPB_MATRIX=N in the
 * environment runs every N-th case of the whole product instead ("ctest -C exhaustive -L
 * exhaustive": all of them). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "comm/wrap/tap.h"
#include "tests/attn/method/covering.h"
#include "tests/attn/method/layer_reference.h"
#include "tests/attn/method/sp_case.h"
#include "tests/attn/method/sp_matrix.h"

/* What the cases of a test have in common. */
struct sweep {
    struct layer_reference reference; /* of the problem that the first dimensions of made_for say */
    struct sp_choice made_for;
    int made_dp; /* 0: there is none yet */
    long cases, failures;
    double worst[DTYPES][CHECK_TENSORS]; /* of dK and dV: where they travel in fp32 */
    double worst_per_hop[DTYPES];        /* of dK and dV that travel in bf16 */
};

/* A case that goes wrong is told, and the others follow. */
static void complain(struct sweep *s, const char *text, const char *what) {
    s->failures++;
    fprintf(stderr, "rank %d: %s: %s\n", test_world.rank, text, what);
}

static bool rounded_on_the_way(const struct problem *p, enum check_tensor tensor) {
    return (tensor == CHECK_DK || tensor == CHECK_DV) && p->grad_dtype == DTYPE_BF16 &&
           p->ring_size > 1;
}

/* The documented bounds. */
static double allowed(const struct problem *p, enum check_tensor tensor) {
    const double own = p->dtype == DTYPE_BF16 ? 2e-2 : 3e-5;
    return rounded_on_the_way(p, tensor) ? own + 2e-2 * (p->ring_size - 1) : own;
}

static void judge_errors(struct sweep *s, const struct problem *p, const char *text,
                         const double error[CHECK_TENSORS], const char *by) {
    for (int i = 0; i < CHECK_TENSORS; i++) {
        const enum check_tensor tensor = (enum check_tensor)i;
        char what[128];
        if (rounded_on_the_way(p, tensor))
            s->worst_per_hop[p->dtype] =
                fmax(s->worst_per_hop[p->dtype], error[i] / (p->ring_size - 1));
        else
            s->worst[p->dtype][i] = fmax(s->worst[p->dtype][i], error[i]);
        if (error[i] <= allowed(p, tensor))
            continue;
        snprintf(what, sizeof what, "%s is off by %.2e, %.1e allowed (%s)",
                 check_tensor_name(tensor), error[i], allowed(p, tensor), by);
        complain(s, text, what);
    }
}

static void judge_bytes(struct sweep *s, const struct run *r, const uint64_t before[TRAFFIC_KINDS],
                        const char *text) {
    const struct attention *a = &r->layer.attention;
    const uint64_t predicted[TRAFFIC_KINDS] = {
        [TRAFFIC_SP] = a->method->volume(&a->problem, r->grid.sp_rank),
        [TRAFFIC_PARAM] = predict_param_bytes(&a->problem, test_world.size)};
    for (int i = 0; i < TRAFFIC_KINDS; i++) {
        char what[128];
        const uint64_t sent = r->transport->sent[i] - before[i];
        if (sent == predicted[i])
            continue;
        snprintf(what, sizeof what, "%llu bytes sent%s, %llu predicted", (unsigned long long)sent,
                 i == TRAFFIC_PARAM ? " of parameters" : "", (unsigned long long)predicted[i]);
        complain(s, text, what);
    }
}

static void judge_memory(struct sweep *s, const struct run *r, const char *text) {
    char why[256];
    if (!memory_is_predicted(r, NULL, why, sizeof why))
        complain(s, text, why);
    const struct algorithm_list planned = tap_algorithms(r->transport);
    if (!memory_is_predicted(r, &planned, why, sizeof why))
        complain(s, text, why);
}

static void ask_check(struct sweep *s, struct run *r, const char *text) {
    struct check_report report;
    assert_int_equal(check_layer(&r->layer, &report), ST_OK);
    judge_errors(s, &r->layer.attention.problem, text, report.error, "says the check");
    if (!report.ok || report.rows == 0)
        complain(s, text, "the check says that something is wrong");
}

/* Results of a pass, to see whether the next one gives the same. */
static char *snapshot(const struct attention *a, size_t *bytes) {
    const struct buffer *const buffers[] = {&a->o, &a->dq, &a->dkv};
    *bytes = a->o.bytes + a->dq.bytes + a->dkv.bytes;
    char *copy = malloc(*bytes), *at = copy;
    assert_non_null(copy);
    for (int i = 0; i < 3; i++) {
        if (buffers[i]->bytes > 0)
            memcpy(at, buffers[i]->data, buffers[i]->bytes);
        at += buffers[i]->bytes;
    }
    return copy;
}

static void judge_repetition(struct sweep *s, struct run *r, const char *text) {
    size_t bytes;
    char *first = snapshot(&r->layer.attention, &bytes);
    run_pass(r);
    char *second = snapshot(&r->layer.attention, &bytes);
    if (memcmp(first, second, bytes) != 0)
        complain(s, text, "a second pass gives other results");
    free(second);
    free(first);
}

static void measure_errors(struct sweep *s, const struct run *r, double error[CHECK_TENSORS]) {
    struct layer_tensors run = layer_tensors_of_run(&s->reference, r);
    layer_reference_follow(&s->reference, &r->layer.attention.problem, &test_world, &run);
    layer_tensors_free(&run);
    layer_reference_errors(&s->reference, r, error);
}

/* One reference serves all cases that compute the same. */
static void need_reference(struct sweep *s, const struct sp_choice *c, const struct problem *p) {
    const size_t same = DIM_METHOD * sizeof c->v[0];
    if (s->made_dp == p->dp_shard_size && memcmp(s->made_for.v, c->v, same) == 0)
        return;
    layer_reference_free(&s->reference);
    s->reference = layer_reference_new(p, &test_world);
    s->made_for = *c;
    s->made_dp = p->dp_shard_size;
}

/* Which tells how exchanges were planned. */
static struct transport *with_tap(struct transport *inner) {
    struct transport *tap = NULL;
    assert_int_equal(tap_open(inner, &tap), ST_OK);
    return tap;
}

static void run_case(struct sweep *s, const struct sp_choice *c, const struct problem *p,
                     const struct sp_method *method, const char *exchange) {
    char text[512];
    sp_choice_text(c, p, method, exchange, text, sizeof text);
    need_reference(s, c, p);
    struct run r;
    run_open(&r, p, method, &test_world, exchange, with_tap);
    if (!p->forward) /* the backward pass needs its results, and is what is measured */
        layer_forward(&r.layer);
    uint64_t before[TRAFFIC_KINDS];
    memcpy(before, r.transport->sent, sizeof before);
    run_pass(&r);
    judge_bytes(s, &r, before, text);
    double error[CHECK_TENSORS];
    measure_errors(s, &r, error);
    judge_errors(s, p, text, error, "all rows");
    judge_repetition(s, &r, text);
    if (c->v[DIM_CHECK] != 0)
        ask_check(s, &r, text);
    judge_memory(s, &r, text);
    run_close(&r);
    s->cases++;
}

static void run_choice(struct sweep *s, const struct sp_choice *c) {
    const struct sp_method *method;
    const char *exchange;
    struct problem p = sp_choice_problem(c, test_world.size, &method, &exchange);
    run_case(s, c, &p, method, exchange);
    mask_close(&p.mask);
}

static bool value_matters(const int row[COVERING_DIMS], int dim, void *arg) {
    struct sp_choice c;
    (void)arg;
    memcpy(c.v, row, sizeof c.v);
    return sp_choice_matters(&c, test_world.size, (enum sp_dim)dim);
}

static void cover_pairs(struct sweep *s) {
    struct covering *pairs = calloc(1, sizeof *pairs);
    assert_non_null(pairs);
    pairs->dims = SP_DIMS;
    pairs->counts = value_matters;
    for (int i = 0; i < SP_DIMS; i++)
        pairs->size[i] = sp_dim_size((enum sp_dim)i, test_world.size);
    int row[COVERING_DIMS];
    while (covering_next(pairs, row)) {
        struct sp_choice c;
        memcpy(c.v, row, sizeof c.v);
        run_choice(s, &c);
    }
    free(pairs);
}

/* A mixed-radix counter, whose first digit is the slowest. */
static bool count_up(struct sp_choice *c) {
    for (int i = SP_DIMS - 1; i >= 0; i--) {
        if (++c->v[i] < sp_dim_size((enum sp_dim)i, test_world.size))
            return true;
        c->v[i] = 0;
    }
    return false;
}

/* Transports and the check take turns, or they would multiply what they have nothing to do with. */
static bool their_turn(const struct sp_choice *c, uint32_t turn) {
    return c->v[DIM_EXCHANGE] ==
               (int)(turn % (uint32_t)sp_dim_size(DIM_EXCHANGE, test_world.size)) &&
           c->v[DIM_CHECK] == (turn / 4 % 16 == 0);
}

static bool is_new(const struct sp_choice *c) {
    for (int i = 0; i < SP_DIMS; i++)
        if (!sp_choice_matters(c, test_world.size, (enum sp_dim)i))
            return false;
    return true;
}

static void run_product(struct sweep *s, uint32_t every) {
    struct sp_choice c = {{0}};
    do {
        struct sp_choice rest = c;
        rest.v[DIM_EXCHANGE] = rest.v[DIM_CHECK] = 0;
        uint32_t hash = 0;
        for (int i = 0; i < SP_DIMS; i++)
            hash = philox4x32((struct philox){{hash, (uint32_t)rest.v[i]}}, 0, 0).v[0];
        if (their_turn(&c, hash) && hash / 64 % every == 0 && is_new(&c))
            run_choice(s, &c);
    } while (count_up(&c));
}

static void print_worst(const struct sweep *s) {
    print_message("%d ranks: %ld cases, %ld failures; worst errors:\n", test_world.size, s->cases,
                  s->failures);
    for (int t = 0; t < DTYPES; t++) {
        for (int i = 0; i < CHECK_WEIGHTS; i++)
            print_message("    %s %-6s %.2e\n", dtype_name((enum dtype)t),
                          check_tensor_name((enum check_tensor)i), s->worst[t][i]);
        print_message("    %s dk, dv that travel in bf16, per hop: %.2e\n",
                      dtype_name((enum dtype)t), s->worst_per_hop[t]);
    }
}

static void layers_agree_with_double_precision(void **state) {
    (void)state;
    static struct sweep s;
    const char *every = getenv("SPB_MATRIX");
    if (every)
        run_product(&s, (uint32_t)strtoul(every, NULL, 10));
    else
        cover_pairs(&s);
    layer_reference_free(&s.reference);
    print_worst(&s);
    double failures = (double)s.failures;
    group_max(&test_world, &failures, 1);
    assert_true(s.cases > 0 && failures == 0);
}

int tests(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(layers_agree_with_double_precision)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
