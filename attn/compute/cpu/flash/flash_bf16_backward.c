#include <omp.h>
#include <string.h>

#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/flash/flash_bf16.h"

/* A task's keys, packed three ways, and the sums of their gradients stay in the second-level cache;
 * queries pass by in strips (bench_kernel measures it). A strip lies in one block of FLASH_Q_TILE.
 */
enum { Q_TILE = 64, K_TILE = 256 };

struct scratch {
    _Alignas(64) uint32_t k_cols[K_TILE * HEAD_DIM_MAX / 2]; /* B [head_dim, keys] */
    uint32_t v_cols[K_TILE * HEAD_DIM_MAX / 2];              /* B [head_dim, keys] */
    uint32_t k_rows[K_TILE * HEAD_DIM_MAX / 2];              /* B [keys, head_dim] */
    _Alignas(64) float dk[HEAD_DIM_MAX * K_TILE];            /* [head_dim, keys] */
    float dv[HEAD_DIM_MAX * K_TILE];                         /* [head_dim, keys] */

    _Alignas(64) uint16_t q[Q_TILE * HEAD_DIM_MAX]; /* A [rows, head_dim] */
    uint16_t dout[Q_TILE * HEAD_DIM_MAX];           /* A [rows, head_dim] */
    uint16_t q_cols[HEAD_DIM_MAX * Q_TILE];         /* A [head_dim, rows] */
    uint16_t dout_cols[HEAD_DIM_MAX * Q_TILE];      /* A [head_dim, rows] */
    _Alignas(64) float s[Q_TILE * K_TILE];          /* [rows, keys]: logits, then P */
    float dp[Q_TILE * K_TILE];                      /* [rows, keys]: dP, then dS */
    uint32_t p_pairs[Q_TILE * K_TILE / 2];          /* P as B [rows, keys] */
    uint32_t ds_pairs[Q_TILE * K_TILE / 2];         /* dS as B [rows, keys] */
    uint16_t ds[Q_TILE * K_TILE];                   /* dS as A [rows, keys] */
    _Alignas(64) float dq[Q_TILE * HEAD_DIM_MAX];   /* [rows, head_dim] */
    struct span spans[Q_TILE];
};

size_t flash_bf16_backward_bytes(void) {
    return sizeof(struct scratch);
}

/* What one task works on: a block of keys of one kv head, and all query heads that read it. */
struct task {
    const struct panel_ops *panels;
    const struct dot_ops *dot;
    const struct attn_args *args;
    struct scratch *w;
    struct flash_locks *locks;
    int batch, kv;
    size_t q_stride, kv_stride;
    int depth, width; /* head_dim as it is padded, along k and along n */
};

/* Packs keys k of the task's head and clears the sums of their gradients. */
static void load_keys(const struct task *t, struct tile k) {
    const struct attn_args *a = t->args;
    struct scratch *w = t->w;
    const size_t at = flash_row(t->batch, k.begin, t->kv, a->k_tokens, a->kv_heads, a->head_dim);
    const uint16_t *key = (const uint16_t *)a->k + at, *value = (const uint16_t *)a->v + at;
    t->panels->pack_transposed(key, t->kv_stride, k.count, a->head_dim, w->k_cols);
    t->panels->pack_transposed(value, t->kv_stride, k.count, a->head_dim, w->v_cols);
    t->panels->pack(key, t->kv_stride, k.count, a->head_dim, w->k_rows);
    memset(w->dk, 0, (size_t)t->width * K_TILE * sizeof *w->dk);
    memset(w->dv, 0, (size_t)t->width * K_TILE * sizeof *w->dv);
}

/* Adds the sums to the gradients of keys k. */
static void store_keys(const struct task *t, struct tile k) {
    const struct attn_args *a = t->args;
    for (int j = 0; j < k.count; j++) {
        const size_t at =
            flash_row(t->batch, k.begin + j, t->kv, a->k_tokens, a->kv_heads, a->head_dim);
        for (int i = 0; i < a->head_dim; i++) {
            a->dk[at + (size_t)i] += t->w->dk[i * K_TILE + j];
            a->dv[at + (size_t)i] += t->w->dv[i * K_TILE + j];
        }
    }
}

static void load_queries(const struct task *t, int h, struct tile q) {
    const struct attn_args *a = t->args;
    struct scratch *w = t->w;
    const size_t at = flash_row(t->batch, q.begin, h, a->q_tokens, a->heads, a->head_dim);
    const uint16_t *query = (const uint16_t *)a->q + at, *dout = (const uint16_t *)a->dout + at;
    t->panels->copy(query, t->q_stride, q.count, a->head_dim, w->q, t->depth);
    t->panels->copy(dout, t->q_stride, q.count, a->head_dim, w->dout, t->depth);
    t->panels->transpose(query, t->q_stride, q.count, a->head_dim, w->q_cols, Q_TILE);
    t->panels->transpose(dout, t->q_stride, q.count, a->head_dim, w->dout_cols, Q_TILE);
}

static void add_dq(const struct task *t, int h, struct tile q) {
    const struct attn_args *a = t->args;
    omp_lock_t *lock = flash_lock(t->locks, t->batch * a->heads + h, q.begin);
    omp_set_lock(lock);
    for (int i = 0; i < q.count; i++) {
        float *to = a->dq + flash_row(t->batch, q.begin + i, h, a->q_tokens, a->heads, a->head_dim);
        const float *from = t->w->dq + (size_t)i * (size_t)t->width;
        for (int j = 0; j < a->head_dim; j++)
            to[j] += from[j];
    }
    omp_unset_lock(lock);
}

/* Gradients through the queries q of head h and the task's keys k. */
static void add_block(const struct task *t, int h, struct tile q, struct tile k) {
    const struct attn_args *a = t->args;
    struct scratch *w = t->w;
    const struct visible b = tile_block(a->mask, q, k, w->spans);
    if (b.rows == 0)
        return;
    /* From the first visible key, and to the last, in steps of what is multiplied at once. */
    const int first = b.col / 32 * 32, cols = round_32(b.col + b.cols - first);
    for (int i = b.row; i < b.row + b.rows; i++) {
        w->spans[i].begin += b.col - first;
        w->spans[i].end += b.col - first;
    }
    const int rows = round_16(q.count), depth = t->depth, width = t->width;
    const int cols_panel = panel_pairs(depth), rows_panel = panel_pairs(k.count);
    const int pairs_panel = panel_pairs(q.count);
    const size_t panels_before = (size_t)(first / PANEL);
    const size_t lse_at =
        ((size_t)t->batch * (size_t)a->heads + (size_t)h) * (size_t)a->q_tokens + (size_t)q.begin;
    const struct dot_ops *dot = t->dot;
    load_queries(t, h, q);
    dot->multiply(rows, cols, a->head_dim, w->q, depth,
                  w->k_cols + panels_before * (size_t)cols_panel, cols_panel, w->s, K_TILE, false);
    dot->multiply(rows, cols, a->head_dim, w->dout, depth,
                  w->v_cols + panels_before * (size_t)cols_panel, cols_panel, w->dp, K_TILE, false);
    t->panels->softmax_grad(w->s, w->dp, K_TILE, q.count, cols, w->spans, a->scale, a->lse + lse_at,
                            a->delta + lse_at, w->p_pairs, w->ds_pairs, w->ds);
    dot->multiply(width, cols, q.count + q.count % 2, w->dout_cols, Q_TILE, w->p_pairs, pairs_panel,
                  w->dv + first, K_TILE, true);
    dot->multiply(width, cols, q.count + q.count % 2, w->q_cols, Q_TILE, w->ds_pairs, pairs_panel,
                  w->dk + first, K_TILE, true);
    dot->multiply(rows, width, cols, w->ds, K_TILE, w->k_rows + (size_t)(first / 2) * PANEL,
                  rows_panel, w->dq, width, false);
    add_dq(t, h, q);
}

static void add_queries(const struct task *t, struct tile k) {
    const struct attn_args *a = t->args;
    const struct span heads = flash_heads(a, t->kv);
    for (int h = heads.begin; h < heads.end; h++)
        for (int begin = 0; begin < a->q_tokens;) {
            const struct tile q = tile_at(a->q_pos, a->q_tokens, begin, FLASH_Q_TILE);
            if (tile_cover(a->mask, q, k) != MASK_NONE)
                for (int i = 0; i < q.count; i += Q_TILE)
                    add_block(t, h, tile_part(q, i, q.count - i < Q_TILE ? q.count - i : Q_TILE),
                              k);
            flash_poll(a);
            begin += q.count;
        }
}

static void run_task(const struct task *t, int block) {
    const int first = block * K_TILE;
    if (t->dot->begin)
        t->dot->begin();
    for (int begin = first; begin < t->args->k_tokens && begin < first + K_TILE;) {
        const struct tile k = tile_at(t->args->k_pos, t->args->k_tokens, begin, K_TILE);
        load_keys(t, k);
        add_queries(t, k);
        store_keys(t, k);
        begin += k.count;
    }
    if (t->dot->end)
        t->dot->end();
}

/* The first keys, which a causal mask shows to the most queries, go first. */
void flash_bf16_backward(const struct attn_kernel *kernel, const struct attn_args *args,
                         int threads) {
    struct scratch *all = args->workspace;
    const int blocks = (args->k_tokens + K_TILE - 1) / K_TILE;
    struct flash_locks locks;
    flash_locks_init(&locks);

#pragma omp parallel for num_threads(threads) schedule(dynamic) collapse(3)
    for (int b = 0; b < args->batch; b++)
        for (int kv = 0; kv < args->kv_heads; kv++)
            for (int block = 0; block < blocks; block++) {
                const struct task t = {
                    .panels = kernel->panels,
                    .dot = kernel->dot,
                    .args = args,
                    .w = &all[omp_get_thread_num()],
                    .locks = &locks,
                    .batch = b,
                    .kv = kv,
                    .q_stride = (size_t)(args->heads * args->head_dim),
                    .kv_stride = (size_t)(args->kv_heads * args->head_dim),
                    .depth = round_32(args->head_dim),
                    .width = round_16(args->head_dim),
                };
                run_task(&t, block);
            }

    flash_locks_destroy(&locks);
}
