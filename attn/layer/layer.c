#include "attn/layer/layer.h"

#include "attn/layer/projection.h"
#include "base/random.h"

uint32_t layer_batch0(const struct problem *p, int dp_rank) {
    return (uint32_t)dp_rank * (uint32_t)p->batch;
}

static int q_width(const struct problem *p) {
    return p->heads * p->head_dim;
}

static int kv_width(const struct problem *p) {
    return p->kv_heads * p->head_dim;
}

size_t layer_qkv_elements(const struct problem *p) {
    return (size_t)(q_width(p) + 2 * kv_width(p)) * (size_t)p->hidden;
}

size_t layer_out_elements(const struct problem *p) {
    return (size_t)q_width(p) * (size_t)p->hidden;
}

void layer_qkv_weights(const struct problem *p, size_t row, int col, int n, float *out) {
    const size_t q = (size_t)q_width(p), kv = (size_t)kv_width(p);
    const float scale = problem_weight_scale(p->hidden);
    if (row < q)
        random_row(out, (size_t)n, p->seed, TENSOR_WQ, 0, (uint32_t)row, 0, (uint32_t)col,
                   scale * problem_q_scale(p));
    else if (row < q + kv)
        random_row(out, (size_t)n, p->seed, TENSOR_WK, 0, (uint32_t)(row - q), 0, (uint32_t)col,
                   scale);
    else
        random_row(out, (size_t)n, p->seed, TENSOR_WV, 0, (uint32_t)(row - q - kv), 0,
                   (uint32_t)col, scale);
}

void layer_out_weights(const struct problem *p, size_t row, int col, int n, float *out) {
    random_row(out, (size_t)n, p->seed, TENSOR_WO, 0, (uint32_t)row, 0, (uint32_t)col,
               problem_weight_scale(q_width(p)));
}

/* Uploads generated values piece by piece; `row` fills n elements from column col of row r. */
typedef void row_fn(const struct problem *p, size_t r, int col, int n, float *out);

enum { PIECE = 1024 };

static void fill_shard(struct params *unit, const struct problem *p, row_fn *row, size_t width) {
    const size_t first = unit->shard_n * (size_t)unit->group->rank;
    float piece[PIECE];
    for (size_t i = 0; i < unit->shard_n;) {
        const size_t at = first + i, col = at % width;
        size_t n = width - col < PIECE ? width - col : PIECE;
        if (n > unit->shard_n - i)
            n = unit->shard_n - i;
        if (at < unit->n)
            row(p, at / width, (int)col, (int)n, piece);
        else
            for (size_t k = 0; k < n; k++)
                piece[k] = 0;
        unit->dev->row->upload(unit->dev, (float *)unit->shard.data + i, piece, n * sizeof *piece);
        i += n;
    }
}

/* rows x width elements of the rank's tokens, in dtype: heads are the generator's, or one row of
 * `hidden`. */
static void fill_tokens(const struct layer *l, void *out, enum dtype dtype, enum tensor_id tensor,
                        int heads, int width, float scale) {
    const struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const int tokens = problem_local_tokens(p);
    const uint32_t batch0 = layer_batch0(p, l->grid->dp_rank);
    const size_t elem = dtype_bytes(dtype);
    float piece[PIECE];
    char *to = out;
    for (int b = 0; b < p->batch; b++)
        for (int t = 0; t < tokens; t++)
            for (int h = 0; h < heads; h++)
                for (int at = 0; at < width; at += PIECE) {
                    const size_t n = (size_t)(width - at < PIECE ? width - at : PIECE);
                    random_row(piece, n, p->seed, tensor, batch0 + (uint32_t)b,
                               (uint32_t)a->mine[t], (uint32_t)h, (uint32_t)at, scale);
                    if (dtype == DTYPE_FP32)
                        a->dev->row->upload(a->dev, to, piece, n * elem);
                    else
                        a->dev->row->convert(a->dev, to, dtype, piece, DTYPE_FP32, n);
                    to += n * elem;
                }
}

static enum status open_projections(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    struct group *world = l->grid->world;
    const size_t qkv = layer_qkv_elements(p), out = layer_out_elements(p);
    const size_t tokens = (size_t)p->batch * (size_t)problem_local_tokens(p);
    enum status st =
        params_scratch_open(&l->scratch, a->transport, world, qkv > out ? qkv : out, p->backward);
    if (st == ST_OK)
        st = params_open(&l->qkv, a->dev, a->transport, &a->in_flight, world, qkv, p->backward,
                         &l->scratch);
    if (st == ST_OK)
        st = params_open(&l->out, a->dev, a->transport, &a->in_flight, world, out, p->backward,
                         &l->scratch);
    if (st != ST_OK)
        return st;
    float **const arrays[] = {&l->x, &l->y, &l->dy, &l->dx};
    for (int i = 0; i < (p->backward ? 4 : 2) && st == ST_OK; i++)
        st = attention_floats(a, MEM_ACTIVATIONS, tokens * (size_t)p->hidden, arrays[i]);
    st = group_agree(world, st);
    if (st != ST_OK)
        return st;
    fill_shard(&l->qkv, p, layer_qkv_weights, (size_t)p->hidden);
    fill_shard(&l->out, p, layer_out_weights, (size_t)q_width(p));
    fill_tokens(l, l->x, DTYPE_FP32, TENSOR_X, 1, p->hidden, 1.0f);
    if (p->backward)
        fill_tokens(l, l->dy, DTYPE_FP32, TENSOR_DY, 1, p->hidden, 1.0f);
    return ST_OK;
}

static void fill_core(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    char *v = (char *)a->kv.data + a->kv.bytes / 2;
    fill_tokens(l, a->q.data, p->dtype, TENSOR_Q, p->heads, p->head_dim, problem_q_scale(p));
    fill_tokens(l, a->kv.data, p->dtype, TENSOR_K, p->kv_heads, p->head_dim, 1.0f);
    fill_tokens(l, v, p->dtype, TENSOR_V, p->kv_heads, p->head_dim, 1.0f);
    if (p->backward)
        fill_tokens(l, a->dout.data, p->dtype, TENSOR_DO, p->heads, p->head_dim, 1.0f);
}

enum status layer_open(struct layer *l, const struct problem *p, const struct sp_method *method,
                       struct compute *compute, struct transport *t, struct process_grid *grid,
                       struct mem_ledger *ledger) {
    *l = (struct layer){.grid = grid};
    enum status st = attention_open(&l->attention, p, method, compute, t, &grid->sp, ledger);
    st = group_agree(grid->world, st);
    if (st != ST_OK)
        return st;
    if (!p->core_only)
        return open_projections(l);
    fill_core(l);
    return ST_OK;
}

void layer_close(struct layer *l) {
    struct attention *a = &l->attention;
    if (!a->method)
        return;
    float *const arrays[] = {l->dx, l->dy, l->y, l->x};
    for (int i = 0; i < 4; i++)
        a->dev->row->free(a->dev, a->ledger, arrays[i]);
    params_close(&l->out);
    params_close(&l->qkv);
    params_scratch_close(&l->scratch);
    attention_close(a);
}

/* Q, K, V, O and dO are of the problem's dtype; all else is fp32. */
static struct tokens fp32(const float *x) {
    return (struct tokens){(void *)x, DTYPE_FP32};
}

/* Q, K or V: how it stands in the layer. */
struct part {
    int heads, width;
    size_t weights; /* where its rows begin in the stacked weights */
    bool rotated;
    struct tokens x;
    float *grad;
};

static struct part part_of(const struct layer *l, enum attn_part which) {
    const struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const bool q = which == PART_Q;
    const int heads = q ? p->heads : p->kv_heads, v = which == PART_V ? 1 : 0;
    const int row = q ? 0 : q_width(p) + v * kv_width(p);
    const size_t second = (size_t)v * attention_kv_elements(p);
    return (struct part){
        .heads = heads,
        .width = heads * p->head_dim,
        .weights = (size_t)row * (size_t)p->hidden,
        .rotated = which != PART_V,
        .x = {q ? a->q.data : (char *)a->kv.data + second * dtype_bytes(p->dtype), p->dtype},
        .grad = q ? a->dq.data : (float *)a->dkv.data + second,
    };
}

static void rope(struct layer *l, struct tokens x, int heads, bool inverse) {
    const struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const struct rows_shape shape = {p->batch, problem_local_tokens(p), heads, p->head_dim};
    trace_begin(a->transport->trace, inverse ? PHASE_ROPE_BWD : PHASE_ROPE);
    a->compute->row->rope(a->compute, shape, x.x, x.dtype, a->mine, p->rope_theta, inverse);
    trace_end(a->transport->trace);
}

/* K and V first: they may travel while Q, the largest, is computed; and what is gathered next,
 * while attention is. */
static void project_inputs(struct layer *l) {
    struct attention *a = &l->attention;
    const float *w = params_gather(&l->qkv);
    for (int i = 0; i < QKV_PARTS; i++) {
        const struct part part = part_of(l, (enum attn_part)i);
        trace_begin(a->transport->trace, PHASE_QKV_PROJ);
        project(a, part.width, a->problem.hidden, fp32(l->x), w + part.weights, part.x);
        trace_end(a->transport->trace);
        if (part.rotated)
            rope(l, part.x, part.heads, false);
        a->ops->ready(a, (enum attn_part)i);
    }
    params_prefetch(&l->out);
}

void layer_forward(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    if (p->core_only) {
        a->ops->forward(a);
        return;
    }
    project_inputs(l);

    a->ops->forward(a);

    const float *w = params_gather(&l->out);
    trace_begin(a->transport->trace, PHASE_OUT_PROJ);
    project(a, p->hidden, q_width(p), (struct tokens){a->o.data, p->dtype}, w, fp32(l->y));
    trace_end(a->transport->trace);
}

/* dO first: it may travel while the gradient of the weights, which needs only what is here, is
 * computed. */
static void project_output_grads(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    struct trace *trace = a->transport->trace;
    const struct tokens dout = {a->dout.data, p->dtype}, o = {a->o.data, p->dtype};
    const float *w = params_gather(&l->out);
    trace_begin(trace, PHASE_OUT_PROJ_BWD);
    project_input_grad(a, p->hidden, q_width(p), l->dy, w, false, dout);
    trace_end(trace);
    a->ops->ready(a, PART_DOUT);
    params_prefetch(&l->qkv);
    float *dw = params_gradient(&l->out);
    trace_begin(trace, PHASE_OUT_PROJ_BWD);
    project_weight_grad(a, p->hidden, q_width(p), l->dy, o, dw);
    trace_end(trace);
    params_reduce_start(&l->out);
}

/* What has arrived is used while the rest is under way. */
static void project_input_grads(struct layer *l) {
    struct attention *a = &l->attention;
    struct trace *trace = a->transport->trace;
    const int hidden = a->problem.hidden;
    const float *w = params_gather(&l->qkv);
    float *dw = params_gradient(&l->qkv);
    for (int i = 0; i < QKV_PARTS; i++) {
        const struct part part = part_of(l, a->ops->arrival(a, i));
        if (part.rotated)
            rope(l, fp32(part.grad), part.heads, true);
        trace_begin(trace, PHASE_QKV_PROJ_BWD);
        project_input_grad(a, part.width, hidden, part.grad, w + part.weights, i > 0, fp32(l->dx));
        project_weight_grad(a, part.width, hidden, part.grad, fp32(l->x), dw + part.weights);
        trace_end(trace);
    }
    params_reduce_start(&l->qkv);
    params_reduce_finish(&l->qkv);
}

void layer_backward(struct layer *l) {
    struct attention *a = &l->attention;
    if (a->problem.core_only) {
        a->ops->backward(a);
        for (int i = 0; i < QKV_PARTS; i++)
            a->ops->arrival(a, i);
        return;
    }
    project_output_grads(l);

    a->ops->backward(a);

    params_reduce_finish(&l->out);
    project_input_grads(l);
}
