#include "tests/attn/sp_case.h"

#include <math.h>
#include <string.h>

void run_open(struct run *r, const struct problem *p, const struct sp_method *method,
              struct group *world, const char *algorithm,
              struct transport *(*wrap)(struct transport *inner)) {
    *r = (struct run){.algorithm = algorithm};
    const struct transport_config config = {.algorithm = algorithm,
                                            .ledger = &r->ledger,
                                            .trace = &r->trace,
                                            .world = &test_world,
                                            .host_key = 1};
    const struct device_config dev = {p->dtype, p->head_dim, 1, "auto"};
    assert_int_equal(device_open("cpu", &dev, &r->dev), ST_OK);
    assert_int_equal(transport_open("mpi", &config, &r->transport), ST_OK);
    if (wrap)
        r->transport = wrap(r->transport);
    assert_int_equal(grid_init(&r->grid, world, p->sp_size, p->dp_shard_size, p->placement), ST_OK);
    assert_int_equal(layer_open(&r->layer, p, method, r->dev, r->transport, &r->grid, &r->ledger),
                     ST_OK);
}

void run_close(struct run *r) {
    layer_close(&r->layer);
    grid_free(&r->grid);
    transport_close(r->transport);
    r->dev->row->close(r->dev);
    assert_int_equal(r->ledger.total_now, 0);
}

void run_pass(struct run *r) {
    const struct problem *p = &r->layer.attention.problem;
    if (p->forward)
        layer_forward(&r->layer);
    if (p->backward)
        layer_backward(&r->layer);
}

void assert_memory_predicted(const struct run *r) {
    const struct attention *a = &r->layer.attention;
    const struct attn_args args = a->method->piece(&a->problem, r->grid.sp_rank);
    const struct predict_env env = {
        .sp_rank = r->grid.sp_rank,
        .world_size = r->grid.world->size,
        .workspace_bytes = a->dev->row->attn_workspace_bytes(a->dev, &args),
        .algorithm = r->algorithm,
    };
    struct mem_predict predicted;
    predict_memory(&a->problem, a->method, &env, &predicted);
    for (int c = 0; c < MEM_CATEGORIES; c++)
        if (r->ledger.peak[c] != predicted.bytes[c])
            fail_msg("%s: %zu bytes used, %zu predicted, by %s with %s",
                     mem_category_name((enum mem_category)c), r->ledger.peak[c], predicted.bytes[c],
                     a->method->name, r->algorithm);
}

struct problem local_problem(const struct problem *p) {
    struct problem local = *p;
    local.batch = p->batch * p->dp_shard_size;
    local.sp_size = local.dp_shard_size = local.ulysses_size = local.ring_size = 1;
    local.layout = LAYOUT_CONTIGUOUS;
    local.padded_seq = 0;
    return local;
}

static double greatest(const float *x, size_t n) {
    double max = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)x[i]));
    return max;
}

static double difference(const float *x, const float *ref, size_t n) {
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs((double)x[i] - (double)ref[i]);
        max = isfinite(d) ? fmax(max, d) : INFINITY;
    }
    return max;
}

/* Rows of `width` of this rank's tokens, [batch, tokens, heads, width], against those of all. */
static double rows_error(const struct run *r, const void *mine, const void *all, int heads,
                         int width, double floor) {
    const struct attention *a = &r->layer.attention;
    const struct problem *p = &a->problem;
    const int n = problem_local_tokens(p);
    const size_t w = (size_t)width;
    const float *x = mine;
    const double least = floor * greatest(all, (size_t)p->batch * (size_t)p->dp_shard_size *
                                                   (size_t)p->seq * (size_t)heads * w);
    double worst = 0;
    for (int b = 0; b < p->batch; b++)
        for (int t = 0; t < n; t++)
            for (int h = 0; h < heads; h++, x += w) {
                if (a->mine[t] == POS_NOWHERE) {
                    worst = greatest(x, w) > 0 ? INFINITY : worst;
                    continue;
                }
                const size_t sequence = (size_t)(r->grid.dp_rank * p->batch + b);
                const size_t token = sequence * (size_t)p->seq + (size_t)a->mine[t];
                const float *ref = (const float *)all + (token * (size_t)heads + (size_t)h) * w;
                worst =
                    fmax(worst, difference(x, ref, w) / fmax(fmax(greatest(ref, w), least), 1e-30));
            }
    return worst;
}

/* Absolute, of the heads and tokens that this rank computes. */
static double lse_error(const struct run *r, const struct run *local) {
    const struct problem *p = &r->layer.attention.problem;
    const struct lse_view mine = attention_lse(&r->layer.attention);
    const struct lse_view all = attention_lse(&local->layer.attention);
    double worst = 0;
    for (int b = 0; b < p->batch; b++)
        for (int h = 0; h < mine.heads; h++)
            for (int t = 0; t < mine.tokens; t++) {
                const size_t at =
                    ((size_t)b * (size_t)mine.heads + (size_t)h) * (size_t)mine.tokens + (size_t)t;
                if (mine.pos[t] == POS_NOWHERE) {
                    worst = mine.lse[at] == -INFINITY ? worst : INFINITY;
                    continue;
                }
                const size_t row = (size_t)(r->grid.dp_rank * p->batch + b) * (size_t)p->heads +
                                   (size_t)(mine.head0 + h);
                const size_t ref = row * (size_t)p->seq + (size_t)mine.pos[t];
                worst = fmax(worst, difference(&mine.lse[at], &all.lse[ref], 1));
            }
    return worst;
}

/* This rank's shard of a unit's gradient, row by row of the matrices. */
static double shard_error(const struct params *mine, const struct params *all, size_t width) {
    const size_t first = mine->shard_n * (size_t)mine->group->rank;
    const float *x = mine->grad_shard.data, *ref = all->grad_shard.data;
    double worst = 0;
    for (size_t i = first; i < first + mine->shard_n && i < mine->n;) {
        const size_t row = i / width * width;
        size_t end = row + width;
        if (end > first + mine->shard_n)
            end = first + mine->shard_n;
        worst =
            fmax(worst, difference(x + (i - first), ref + i, end - i) / greatest(ref + row, width));
        i = end;
    }
    return worst;
}

void run_compare(const struct run *r, const struct run *local, double error[CHECK_TENSORS]) {
    const struct attention *a = &r->layer.attention, *b = &local->layer.attention;
    const struct layer *l = &r->layer, *ref = &local->layer;
    const struct problem *p = &a->problem;
    const int d = p->head_dim, h = p->heads, kv = p->kv_heads;
    const float *dk = a->dkv.data, *ref_dk = b->dkv.data;
    const size_t v = attention_kv_elements(p), ref_v = attention_kv_elements(&b->problem);
    memset(error, 0, CHECK_TENSORS * sizeof *error);
    error[CHECK_O] = rows_error(r, a->o.data, b->o.data, h, d, 0);
    error[CHECK_LSE] = lse_error(r, local);
    if (p->backward) {
        error[CHECK_DQ] = rows_error(r, a->dq.data, b->dq.data, h, d, 0.1);
        error[CHECK_DK] = rows_error(r, dk, ref_dk, kv, d, 0.1);
        error[CHECK_DV] = rows_error(r, dk + v, ref_dk + ref_v, kv, d, 0);
    }
    if (!p->core_only)
        error[CHECK_Y] = rows_error(r, l->y, ref->y, 1, p->hidden, 0);
    if (!p->core_only && p->backward) {
        error[CHECK_DX] = rows_error(r, l->dx, ref->dx, 1, p->hidden, 0);
        error[CHECK_DWQ] = shard_error(&l->qkv, &ref->qkv, (size_t)p->hidden);
        error[CHECK_DWO] = shard_error(&l->out, &ref->out, (size_t)(h * d));
    }
    group_max(r->grid.world, error, CHECK_TENSORS);
}

void assert_errors(const double error[CHECK_TENSORS], double tolerance) {
    for (int i = 0; i < CHECK_TENSORS; i++)
        if (error[i] >= tolerance)
            fail_msg("%s: error %.2e, %.1e allowed", check_tensor_name((enum check_tensor)i),
                     error[i], tolerance);
}
