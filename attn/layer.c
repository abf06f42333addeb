#include "attn/layer.h"

#include "attn/method.h"
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
        st = params_open(&l->qkv, a->dev, a->transport, world, qkv, p->backward, &l->scratch);
    if (st == ST_OK)
        st = params_open(&l->out, a->dev, a->transport, world, out, p->backward, &l->scratch);
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
                       struct device *dev, struct transport *t, struct grid *grid,
                       struct mem_ledger *ledger) {
    *l = (struct layer){.grid = grid};
    enum status st = attention_open(&l->attention, p, method, dev, t, &grid->sp, ledger);
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

/* Rows of tokens. Q, K, V, O and dO are of the problem's dtype; all else is fp32. */
struct tokens {
    void *x;
    enum dtype dtype;
};

static struct tokens fp32(const float *x) {
    return (struct tokens){(void *)x, DTYPE_FP32};
}

/* out[tokens, n] = in[tokens, k] w[n, k]^T */
static void project(struct device *dev, int tokens, int n, int k, struct tokens in, const float *w,
                    struct tokens out) {
    const struct gemm_args g = {.trans_b = true,
                                .m = tokens,
                                .n = n,
                                .k = k,
                                .a = in.x,
                                .a_dtype = in.dtype,
                                .lda = k,
                                .b = w,
                                .ldb = k,
                                .c = out.x,
                                .c_dtype = out.dtype,
                                .ldc = n};
    dev->row->gemm(dev, &g);
}

/* din[tokens, k] (+)= dout[tokens, n] w[n, k] */
static void project_input_grad(struct device *dev, int tokens, int n, int k, const float *dout,
                               const float *w, bool add, struct tokens din) {
    const struct gemm_args g = {.m = tokens,
                                .n = k,
                                .k = n,
                                .a = dout,
                                .lda = n,
                                .b = w,
                                .ldb = k,
                                .beta = add ? 1.0f : 0.0f,
                                .c = din.x,
                                .c_dtype = din.dtype,
                                .ldc = k};
    dev->row->gemm(dev, &g);
}

/* dw[n, k] = dout[tokens, n]^T in[tokens, k] */
static void project_weight_grad(struct device *dev, int tokens, int n, int k, const float *dout,
                                struct tokens in, float *dw) {
    const struct gemm_args g = {.trans_a = true,
                                .m = n,
                                .n = k,
                                .k = tokens,
                                .a = dout,
                                .lda = n,
                                .b = in.x,
                                .b_dtype = in.dtype,
                                .ldb = k,
                                .c = dw,
                                .ldc = k};
    dev->row->gemm(dev, &g);
}

static void rope(struct layer *l, struct tokens x, int heads, bool inverse) {
    const struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const struct rows_shape shape = {p->batch, problem_local_tokens(p), heads, p->head_dim};
    trace_begin(a->transport->trace, inverse ? PHASE_ROPE_BWD : PHASE_ROPE);
    a->dev->row->rope(a->dev, shape, x.x, x.dtype, a->mine, p->rope_theta, inverse);
    trace_end(a->transport->trace);
}

/* out = x w^T; where something is on its way, in steps between which it gets on. */
static void project_input(struct layer *l, int width, const float *w, struct tokens out) {
    enum { STEP = 512 };
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const int tokens = p->batch * problem_local_tokens(p);
    const int step = attention_poll(a) ? STEP : tokens;
    trace_begin(a->transport->trace, PHASE_QKV_PROJ);
    for (int t = 0; t < tokens; t += step) {
        const int n = tokens - t < step ? tokens - t : step;
        const size_t at = (size_t)t * (size_t)width * dtype_bytes(out.dtype);
        project(a->dev, n, width, p->hidden, fp32(l->x + (size_t)t * (size_t)p->hidden), w,
                (struct tokens){(char *)out.x + at, out.dtype});
        attention_poll(a);
    }
    trace_end(a->transport->trace);
}

/* K and V first: they may be exchanged while Q, the largest, is computed. */
static void project_inputs(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    const size_t hidden = (size_t)p->hidden;
    const float *w = params_gather(&l->qkv);
    const float *wk = w + (size_t)q_width(p) * hidden, *wv = wk + (size_t)kv_width(p) * hidden;
    const struct tokens q = {a->q.data, p->dtype}, k = {a->kv.data, p->dtype};
    const struct tokens v = {(char *)a->kv.data + a->kv.bytes / 2, p->dtype};
    project_input(l, kv_width(p), wk, k);
    rope(l, k, p->kv_heads, false);
    attention_ready(a, QKV_K);
    project_input(l, kv_width(p), wv, v);
    attention_ready(a, QKV_V);
    project_input(l, q_width(p), w, q);
    rope(l, q, p->heads, false);
    attention_ready(a, QKV_Q);
}

void layer_forward(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    struct trace *trace = a->transport->trace;
    const int tokens = p->batch * problem_local_tokens(p);
    if (p->core_only) {
        attention_forward(a);
        return;
    }
    project_inputs(l);

    attention_forward(a);

    const float *w = params_gather(&l->out);
    trace_begin(trace, PHASE_OUT_PROJ);
    const struct tokens o = {a->o.data, p->dtype};
    project(a->dev, tokens, p->hidden, q_width(p), o, w, fp32(l->y));
    trace_end(trace);
}

void layer_backward(struct layer *l) {
    struct attention *a = &l->attention;
    const struct problem *p = &a->problem;
    struct trace *trace = a->transport->trace;
    const int tokens = p->batch * problem_local_tokens(p);
    if (p->core_only) {
        attention_backward(a);
        return;
    }
    const float *w = params_gather(&l->out);
    trace_begin(trace, PHASE_OUT_PROJ_BWD);
    const struct tokens dout = {a->dout.data, p->dtype}, o = {a->o.data, p->dtype};
    project_input_grad(a->dev, tokens, p->hidden, q_width(p), l->dy, w, false, dout);
    project_weight_grad(a->dev, tokens, p->hidden, q_width(p), l->dy, o, params_gradient(&l->out));
    trace_end(trace);
    params_reduce(&l->out);

    attention_backward(a);

    float *dq = a->dq.data, *dk = a->dkv.data, *dv = dk + attention_kv_elements(p);
    rope(l, fp32(dq), p->heads, true);
    rope(l, fp32(dk), p->kv_heads, true);
    w = params_gather(&l->qkv);
    trace_begin(trace, PHASE_QKV_PROJ_BWD);
    float *dw = params_gradient(&l->qkv);
    const size_t k_at = (size_t)q_width(p) * (size_t)p->hidden;
    const size_t v_at = k_at + (size_t)kv_width(p) * (size_t)p->hidden;
    project_input_grad(a->dev, tokens, q_width(p), p->hidden, dq, w, false, fp32(l->dx));
    project_input_grad(a->dev, tokens, kv_width(p), p->hidden, dk, w + k_at, true, fp32(l->dx));
    project_input_grad(a->dev, tokens, kv_width(p), p->hidden, dv, w + v_at, true, fp32(l->dx));
    project_weight_grad(a->dev, tokens, q_width(p), p->hidden, dq, fp32(l->x), dw);
    project_weight_grad(a->dev, tokens, kv_width(p), p->hidden, dk, fp32(l->x), dw + k_at);
    project_weight_grad(a->dev, tokens, kv_width(p), p->hidden, dv, fp32(l->x), dw + v_at);
    trace_end(trace);
    params_reduce(&l->qkv);
}
