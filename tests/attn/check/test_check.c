/* The check fails on what is wrong. That it passes on what is right is test_sp_matrix's matter. */
#include <math.h>
#include <string.h>

#include "comm/wrap/fault.h"
#include "tests/attn/method/sp_case.h"

static const struct sp_method *const methods[] = {&sp_ulysses, &sp_ring};

static struct problem problem_of(const struct sp_method *method, int kv_heads, bool core_only) {
    struct problem p = {
        .batch = 1,
        .seq = 96,
        .heads = 24,
        .kv_heads = kv_heads,
        .head_dim = 8,
        .hidden = 40,
        .rope_theta = 10000,
        .dtype = DTYPE_FP32,
        .grad_dtype = DTYPE_FP32,
        .forward = true,
        .backward = true,
        .core_only = core_only,
        .seed = 5,
        .sp_size = test_world.size,
        .dp_shard_size = 1,
        .layout = LAYOUT_ZIGZAG,
    };
    method->split(&p);
    return p;
}

/* What goes wrong on one rank. */
typedef void corrupt_fn(struct layer *l);

static void zero_o(struct layer *l) {
    memset(l->attention.o.data, 0, l->attention.o.bytes);
}

static void shift_o(struct layer *l) {
    const struct problem *p = &l->attention.problem;
    char *o = l->attention.o.data;
    const size_t token = (size_t)(p->heads * p->head_dim) * sizeof(float);
    memmove(o + token, o, l->attention.o.bytes - token);
}

/* Heads 2i and 2i + 1, of rows of head_dim. */
static void swap_heads(float *x, size_t bytes, int head_dim) {
    const size_t d = (size_t)head_dim, n = bytes / sizeof *x;
    for (size_t at = 0; at + 2 * d <= n; at += 2 * d)
        for (size_t i = at; i < at + d; i++) {
            const float first = x[i];
            x[i] = x[i + d];
            x[i + d] = first;
        }
}

static void swap_o_heads(struct layer *l) {
    swap_heads(l->attention.o.data, l->attention.o.bytes, l->attention.problem.head_dim);
}

static void swap_dq_heads(struct layer *l) {
    swap_heads(l->attention.dq.data, l->attention.dq.bytes, l->attention.problem.head_dim);
}

static void zero_dk(struct layer *l) {
    memset(l->attention.dkv.data, 0, l->attention.dkv.bytes / 2);
}

/* The rotation of RoPE left in: only position 0 would be right. */
static void unturned_dk(struct layer *l) {
    const struct problem *p = &l->attention.problem;
    l->attention.compute->row->rope(
        l->attention.compute,
        (struct rows_shape){p->batch, problem_local_tokens(p), p->kv_heads, p->head_dim},
        l->attention.dkv.data, DTYPE_FP32, l->attention.mine, p->rope_theta, false);
}

static void double_dv(struct layer *l) {
    float *dkv = l->attention.dkv.data;
    const size_t n = attention_kv_elements(&l->attention.problem);
    for (size_t i = n; i < 2 * n; i++)
        dkv[i] *= 2;
}

static void shift_rows(const struct layer *l, bool delta) {
    const struct lse_view view = l->attention.ops->lse(&l->attention);
    float *x = (float *)(delta ? view.delta : view.lse);
    for (int i = 0; i < view.heads * view.tokens; i++)
        x[i] += 1e-2f;
}

static void shift_lse(struct layer *l) {
    shift_rows(l, false);
}

static void shift_delta(struct layer *l) {
    shift_rows(l, true);
}

static void nan_lse(struct layer *l) {
    const struct lse_view view = l->attention.ops->lse(&l->attention);
    ((float *)view.lse)[view.tokens / 2 + 1] = NAN;
}

static void scale_tokens(struct layer *l, float *x) {
    const struct problem *p = &l->attention.problem;
    const int n = problem_local_tokens(p) * p->hidden;
    for (int i = 0; i < n; i++)
        x[i] *= 1.001f;
}

static void scale_y(struct layer *l) {
    scale_tokens(l, l->y);
}

static void scale_dx(struct layer *l) {
    scale_tokens(l, l->dx);
}

/* One element in CHECK_COLUMNS of every row, which is the least that a strip can meet. */
static void dent(struct params *unit, size_t first, size_t n) {
    const size_t shard = unit->shard_n * (size_t)unit->group->rank;
    float *x = unit->grad_shard.data;
    for (size_t i = first; i < first + n; i += 16)
        if (i >= shard && i < shard + unit->shard_n)
            x[i - shard] += fabsf(x[i - shard]) + 0.1f;
}

static size_t q_elements(const struct layer *l) {
    const struct problem *p = &l->attention.problem;
    return (size_t)(p->heads * p->head_dim) * (size_t)p->hidden;
}

static size_t kv_elements(const struct layer *l) {
    const struct problem *p = &l->attention.problem;
    return (size_t)(p->kv_heads * p->head_dim) * (size_t)p->hidden;
}

static void dent_dwq(struct layer *l) {
    dent(&l->qkv, 0, q_elements(l));
}

static void dent_dwk(struct layer *l) {
    dent(&l->qkv, q_elements(l), kv_elements(l));
}

static void dent_dwv(struct layer *l) {
    dent(&l->qkv, q_elements(l) + kv_elements(l), kv_elements(l));
}

static void dent_dwo(struct layer *l) {
    dent(&l->out, 0, q_elements(l));
}

/* What each corruption must at least be found in. Of a weight gradient, every rank dents its shard:
 * few ranks hold a part of wk. */
static const struct corruption {
    corrupt_fn *corrupt;
    enum check_tensor tensor;
    bool all_ranks;
} corruptions[] = {
    {zero_o, CHECK_O, false},          {shift_o, CHECK_O, false},
    {swap_o_heads, CHECK_O, false},    {zero_o, CHECK_Y, false},
    {shift_lse, CHECK_LSE, false},     {nan_lse, CHECK_LSE, false},
    {shift_delta, CHECK_DELTA, false}, {swap_dq_heads, CHECK_DQ, false},
    {zero_dk, CHECK_DK, false},        {unturned_dk, CHECK_DK, false},
    {zero_dk, CHECK_DX, false},        {zero_dk, CHECK_DWK, false},
    {double_dv, CHECK_DV, false},      {scale_y, CHECK_Y, false},
    {scale_dx, CHECK_DX, false},       {dent_dwq, CHECK_DWQ, true},
    {dent_dwk, CHECK_DWK, true},       {dent_dwv, CHECK_DWV, true},
    {dent_dwo, CHECK_DWO, true},
};

/* The report, which must be the same on all ranks. */
static struct check_report report_of(struct run *r) {
    struct check_report report;
    assert_int_equal(check_layer(&r->layer, &report), ST_OK);
    double same[2] = {report.max_rel_err, -report.max_rel_err};
    group_max(&test_world, same, 2);
    assert_true(same[0] == -same[1]);
    return report;
}

/* Ranks in a crowd are slow: they take every third case, which is every kind of them. */
static size_t stride(void) {
    return test_world.size > 4 ? 3 : 1;
}

static void corruption_is_found(void **state) {
    (void)state;
    const size_t n = sizeof corruptions / sizeof corruptions[0];
    for (size_t i = 0; i < 2 * n; i += stride()) {
        const struct corruption *c = &corruptions[i / 2];
        const struct problem p = problem_of(methods[i % 2], 3, false);
        struct run r;
        run_open(&r, &p, methods[i % 2], &test_world, "pairwise", NULL);
        run_pass(&r);
        if (c->all_ranks || test_world.rank == test_world.size - 1)
            c->corrupt(&r.layer);
        const struct check_report report = report_of(&r);
        if (report.ok || !(report.error[c->tensor] > CHECK_TOLERANCE_FP32))
            fail_msg("%s: corruption %zu is not found in %s (%.1e)", methods[i % 2]->name, i / 2,
                     check_tensor_name(c->tensor), report.error[c->tensor]);
        run_close(&r);
    }
}

/* The tolerance of bf16 is no excuse for what is wrong. */
static void corruption_of_bf16_is_found(void **state) {
    (void)state;
    corrupt_fn *const corrupts[] = {zero_o, zero_dk, double_dv, swap_dq_heads};
    const enum check_tensor tensors[] = {CHECK_O, CHECK_DK, CHECK_DV, CHECK_DQ};
    for (int i = 0; i < 4; i++) {
        struct problem p = problem_of(&sp_ring, 3, i % 2 == 0);
        p.dtype = DTYPE_BF16;
        struct run r;
        run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
        run_pass(&r);
        assert_true(report_of(&r).ok);
        corrupts[i](&r.layer);
        const struct check_report report = report_of(&r);
        assert_true(!report.ok && report.error[tensors[i]] > CHECK_TOLERANCE_BF16);
        run_close(&r);
    }
}

/* Every row at either end of a document is checked, however many documents there are for the pairs
 * of sequence and head: here, one pair. A wrong gradient of such a row is found. */
static void ends_of_documents_are_sampled(void **state) {
    (void)state;
    static const int32_t ends[] = {11, 12, 47, 84};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct problem p = problem_of(&sp_ring, 1, true);
        char why[256] = "";
        assert_int_equal(mask_open("docs:8", p.seq, &p.mask, why, sizeof why), ST_OK);
        p.layout = LAYOUT_CONTIGUOUS;
        struct run r;
        run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
        run_pass(&r);
        float *dk = r.layer.attention.dkv.data;
        for (int t = 0; t < problem_local_tokens(&p); t++)
            if (r.layer.attention.mine[t] == ends[i])
                dk[t * p.head_dim] += 1.0f;
        assert_true(report_of(&r).error[CHECK_DK] > 0.01);
        run_close(&r);
        mask_close(&p.mask);
    }
}

/* The names and the worst tensor are what a user is told. */
static void worst_tensor_is_named(void **state) {
    (void)state;
    const struct problem p = problem_of(&sp_ring, 24, true);
    struct run r;
    run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
    run_pass(&r);
    struct check_report report = report_of(&r);
    assert_true(report.ok);
    assert_true(report.error[CHECK_Y] == 0); /* there is none */
    double_dv(&r.layer);
    report = report_of(&r);
    assert_false(report.ok);
    assert_string_equal(check_tensor_name(report.worst), "dv");
    assert_true(report.max_rel_err == report.error[CHECK_DV]);
    run_close(&r);
}

static void assert_near(double x, double wanted) {
    if (!(fabs(x - wanted) < 1e-5))
        fail_msg("%.9g, not %.9g", x, wanted);
}

/* One element of one row is off. With two tokens a rank every row is compared, so that max and RMS
 * follow from the tensor itself, which is right to 1e-6. */
static void one_error_is_measured(void **state) {
    (void)state;
    struct problem p = problem_of(&sp_ring, 1, true);
    p.seq = 2 * test_world.size;
    p.heads = 1;
    p.layout = LAYOUT_CONTIGUOUS;
    struct run r;
    run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
    run_pass(&r);
    float *const tensors[] = {r.layer.attention.o.data,
                              (float *)r.layer.attention.dkv.data + 2 * p.head_dim};
    static const enum check_tensor names[] = {CHECK_O, CHECK_DV};
    for (int i = 0; i < 2; i++) {
        const float error = 0.25f;
        double squares = 0, largest = 0;
        for (int k = 0; k < 2 * p.head_dim; k++) {
            squares += tensors[i][k] * tensors[i][k];
            if (k < p.head_dim && test_world.rank == test_world.size - 1)
                largest = fmax(largest, fabsf(tensors[i][k]));
        }
        group_sum(&test_world, &squares, 1);
        group_max(&test_world, &largest, 1);
        if (test_world.rank == test_world.size - 1)
            tensors[i][3] += error;
        const struct check_report report = report_of(&r);
        assert_int_equal(report.compared[names[i]], p.seq);
        assert_near(report.error[names[i]] * largest, error);
        assert_near(report.rms[names[i]] * sqrt(squares), error);
        assert_true(report.rms[CHECK_LSE] < 1e-6);
    }
    run_close(&r);
}

/* Nothing of a tensor is there: its RMS error is 1, however its rows lie in the ranks' shards. */
static void lost_tensors_have_an_error_of_one(void **state) {
    (void)state;
    const struct problem p = problem_of(&sp_ulysses, 3, false);
    struct run r;
    run_open(&r, &p, &sp_ulysses, &test_world, "pairwise", NULL);
    run_pass(&r);
    memset(r.layer.qkv.grad_shard.data, 0, r.layer.qkv.grad_shard.bytes);
    memset(r.layer.out.grad_shard.data, 0, r.layer.out.grad_shard.bytes);
    memset(r.layer.y, 0, sizeof(float) * (size_t)(problem_local_tokens(&p) * p.hidden));
    const struct check_report report = report_of(&r);
    static const enum check_tensor lost[] = {CHECK_Y, CHECK_DWQ, CHECK_DWK, CHECK_DWV, CHECK_DWO};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++)
        assert_near(report.rms[lost[i]], 1);
    assert_true(isnan(report.rms[CHECK_WEIGHTS]));
    run_close(&r);
}

/* A query that sees one key has dQ = dK = 0: what is left is rounding, relative to nothing. */
static void cancelled_gradients_have_no_rms(void **state) {
    (void)state;
    struct problem p = problem_of(&sp_ring, 3, true);
    char why[256] = "";
    assert_int_equal(mask_open("window:1", p.seq, &p.mask, why, sizeof why), ST_OK);
    struct run r;
    run_open(&r, &p, &sp_ring, &test_world, "pairwise", NULL);
    run_pass(&r);
    const struct check_report report = report_of(&r);
    assert_true(report.ok && isnan(report.rms[CHECK_DQ]) && isnan(report.rms[CHECK_DK]));
    assert_true(report.rms[CHECK_DV] < CHECK_TOLERANCE_FP32);
    run_close(&r);
    mask_close(&p.mask);
}

/* Breaks the last rank's exchanges from the given one on; 0: none, but counts them. */
static struct fault fault;
static long counter;

static struct transport *break_exchanges(struct transport *inner) {
    struct transport *t = NULL;
    counter = 0;
    assert_int_equal(fault_open(inner, &fault, test_world.rank, &counter, &t), ST_OK);
    return t;
}

static struct check_report run_broken(const struct problem *p, const struct sp_method *method,
                                      long exchange) {
    struct run r;
    fault =
        (struct fault){exchange > 0 ? FAULT_CORRUPT : FAULT_NONE, test_world.size - 1, exchange};
    run_open(&r, p, method, &test_world, "pairwise", break_exchanges);
    run_pass(&r);
    const struct check_report report = report_of(&r);
    run_close(&r);
    return report;
}

/* One element of one message, which is of the first token that a rank holds: that one is always
 * sampled; and with one KV head, every head is. hidden is as wide as a strip of columns.
 * The layer's last exchange reduces weight gradients, which are sampled too sparsely for one
 * element. */
static void broken_exchange_is_found(void **state) {
    (void)state;
    if (test_world.size == 1)
        skip(); /* nothing is exchanged */
    for (int i = 0; i < 4; i++) {
        struct problem p = problem_of(methods[i % 2], 1, i < 2);
        p.hidden = 16;
        assert_true(run_broken(&p, methods[i % 2], 0).ok);
        const long exchanges = p.core_only ? counter : counter - 1;
        assert_true(exchanges >= 3);
        const long stride = (exchanges + 7) / 8; /* a long ring's hops are alike */
        for (long e = exchanges; e >= 1; e -= stride)
            if (run_broken(&p, methods[i % 2], e).ok)
                fail_msg("%s: a broken exchange %ld of %ld is not found", methods[i % 2]->name, e,
                         exchanges);
    }
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(corruption_is_found),
        cmocka_unit_test(corruption_of_bf16_is_found),
        cmocka_unit_test(ends_of_documents_are_sampled),
        cmocka_unit_test(worst_tensor_is_named),
        cmocka_unit_test(one_error_is_measured),
        cmocka_unit_test(lost_tensors_have_an_error_of_one),
        cmocka_unit_test(cancelled_gradients_have_no_rms),
        cmocka_unit_test(broken_exchange_is_found),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
