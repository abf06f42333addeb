#include <math.h>
#include <omp.h>
#include <string.h>

#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/flash/flash_bf16.h"
#include "device/bf16.h"

/* Keys and values are packed per tile of queries; logits exist for a strip of them, so that these
 * stay in the first-level cache (bench_kernel measures it). */
enum { Q_TILE = 256, K_TILE = 256, STRIP = 32 };

struct scratch {
    _Alignas(64) uint16_t q[Q_TILE * HEAD_DIM_MAX]; /* A [rows, head_dim] */
    uint32_t k[K_TILE * HEAD_DIM_MAX / 2];          /* B [head_dim, keys] */
    uint32_t v[K_TILE * HEAD_DIM_MAX / 2];          /* B [keys, head_dim] */
    _Alignas(64) float acc[Q_TILE * HEAD_DIM_MAX];  /* [rows, head_dim], sum of p v */
    float s[STRIP * K_TILE];                        /* [strip, keys] */
    uint16_t p[STRIP * K_TILE];                     /* A [strip, keys] */
    float max[Q_TILE], sum[Q_TILE], correction[STRIP];
    struct span spans[STRIP];
};

size_t flash_bf16_forward_bytes(void) {
    return sizeof(struct scratch);
}

/* What one task works on. */
struct task {
    const struct panel_ops *panels;
    const struct dot_ops *dot;
    const struct attn_args *args;
    struct scratch *w;
    const uint16_t *q, *k, *v; /* first rows of the head */
    uint16_t *o;
    float *lse;
    size_t q_stride, kv_stride;
    int depth, width; /* head_dim as it is padded, along k and along n */
};

static struct task task_at(const struct attn_kernel *kernel, const struct attn_args *a, int b,
                           int h, struct scratch *w) {
    const int kv = (a->q_head0 + h) / a->group - a->kv_head0;
    const size_t q_at = flash_row(b, 0, h, a->q_tokens, a->heads, a->head_dim);
    const size_t kv_at = flash_row(b, 0, kv, a->k_tokens, a->kv_heads, a->head_dim);
    return (struct task){
        .panels = kernel->panels,
        .dot = kernel->dot,
        .args = a,
        .w = w,
        .q = (const uint16_t *)a->q + q_at,
        .k = (const uint16_t *)a->k + kv_at,
        .v = (const uint16_t *)a->v + kv_at,
        .o = (uint16_t *)a->o + q_at,
        .lse = a->lse + ((size_t)b * (size_t)a->heads + (size_t)h) * (size_t)a->q_tokens,
        .q_stride = (size_t)(a->heads * a->head_dim),
        .kv_stride = (size_t)(a->kv_heads * a->head_dim),
        .depth = round_32(a->head_dim),
        .width = round_16(a->head_dim),
    };
}

/* Adds the packed keys k to the running result of a strip of queries that begins at row `at` of the
 * tile. */
static void add_strip(const struct task *t, struct tile strip, int at, struct tile k) {
    struct scratch *w = t->w;
    const struct visible b = tile_block(t->args->mask, strip, k, w->spans);
    if (b.rows == 0)
        return;
    /* From the first visible key, and to the last, in steps of what is multiplied at once. */
    const int first = b.col / 32 * 32, cols = round_32(b.col + b.cols - first);
    const int row = b.row / 16 * 16, end = round_16(b.row + b.rows);
    const int rows = (end < strip.count ? end : strip.count) - row;
    for (int i = b.row; i < b.row + b.rows; i++) {
        w->spans[i].begin += b.col - first;
        w->spans[i].end += b.col - first;
    }
    const int k_panel = panel_pairs(t->depth), v_panel = panel_pairs(k.count);
    float *acc = w->acc + (size_t)(at + row) * (size_t)t->width;
    t->dot->multiply(
        round_16(rows), cols, t->args->head_dim, w->q + (size_t)(at + row) * (size_t)t->depth,
        t->depth, w->k + (size_t)(first / PANEL) * (size_t)k_panel, k_panel, w->s, K_TILE, false);
    t->panels->softmax(w->s, K_TILE, rows, cols, w->spans + row, t->args->scale, w->max + at + row,
                       w->sum + at + row, w->correction, w->p);
    t->panels->scale_rows(acc, t->width, rows, t->width, w->correction);
    t->dot->multiply(round_16(rows), t->width, cols, w->p, K_TILE,
                     w->v + (size_t)(first / 2) * PANEL, v_panel, acc, t->width, true);
}

/* The same for a whole tile of queries; only keys that one of them sees are packed. */
static void add_keys(const struct task *t, struct tile q, struct tile k) {
    const struct span seen = tile_seen(t->args->mask, q, k);
    if (seen.begin >= seen.end)
        return;
    const struct tile keys = tile_part(k, seen.begin, seen.end - seen.begin);
    const size_t at = (size_t)keys.begin * t->kv_stride;
    t->panels->pack_transposed(t->k + at, t->kv_stride, keys.count, t->args->head_dim, t->w->k);
    t->panels->pack(t->v + at, t->kv_stride, keys.count, t->args->head_dim, t->w->v);
    for (int i = 0; i < q.count; i += STRIP)
        add_strip(t, tile_part(q, i, q.count - i < STRIP ? q.count - i : STRIP), i, keys);
}

/* Normalises and stores; rows that saw no key are 0 with lse -inf. */
static void finish(const struct task *t, struct tile q) {
    const struct scratch *w = t->w;
    for (int i = 0; i < q.count; i++) {
        const float *acc = w->acc + (size_t)i * (size_t)t->width;
        uint16_t *o = t->o + (size_t)(q.begin + i) * t->q_stride;
        const float inverse = w->sum[i] > 0 ? 1 / w->sum[i] : 0;
        for (int j = 0; j < t->args->head_dim; j++)
            o[j] = float_to_bf16(acc[j] * inverse);
        t->lse[q.begin + i] = flash_lse(w->max[i], w->sum[i]);
    }
}

static void attend(const struct task *t, struct tile q) {
    struct scratch *w = t->w;
    t->panels->copy(t->q + (size_t)q.begin * t->q_stride, t->q_stride, q.count, t->args->head_dim,
                    w->q, t->depth);
    memset(w->acc, 0, (size_t)round_16(q.count) * (size_t)t->width * sizeof *w->acc);
    for (int i = 0; i < q.count; i++) {
        w->max[i] = -INFINITY;
        w->sum[i] = 0;
    }
    for (int begin = 0; begin < t->args->k_tokens;) {
        const struct tile k = tile_at(t->args->k_pos, t->args->k_tokens, begin, K_TILE);
        add_keys(t, q, k);
        flash_poll(t->args);
        begin += k.count;
    }
    finish(t, q);
}

/* One task: a block of queries of one head. */
static void attend_block(const struct task *t, int block) {
    const struct attn_args *args = t->args;
    const int first = block * Q_TILE;
    if (t->dot->begin)
        t->dot->begin();
    for (int begin = first; begin < args->q_tokens && begin < first + Q_TILE;) {
        const struct tile q = tile_at(args->q_pos, args->q_tokens, begin, Q_TILE);
        attend(t, q);
        begin += q.count;
    }
    if (t->dot->end)
        t->dot->end();
}

/* The last queries, to which a causal mask shows the most keys, go first. */
void flash_bf16_forward(const struct attn_kernel *kernel, const struct attn_args *args,
                        int threads) {
    struct scratch *all = args->workspace;
    const int blocks = (args->q_tokens + Q_TILE - 1) / Q_TILE;

#pragma omp parallel for num_threads(threads) schedule(dynamic) collapse(3)
    for (int b = 0; b < args->batch; b++)
        for (int h = 0; h < args->heads; h++)
            for (int i = 0; i < blocks; i++) {
                const struct task t = task_at(kernel, args, b, h, &all[omp_get_thread_num()]);
                attend_block(&t, blocks - 1 - i);
            }
}
