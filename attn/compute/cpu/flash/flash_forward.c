#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/inner/vector.h"
#include "device/bf16.h"

/* Where one head's rows lie. */
struct head {
    struct flash_rows q, k, v;
    void *o;
    float *lse;
};

static struct head head_at(const struct attn_args *a, size_t elem, int b, int h) {
    const int kv = (a->q_head0 + h) / a->group - a->kv_head0;
    const size_t q_at = flash_row(b, 0, h, a->q_tokens, a->heads, a->head_dim);
    const size_t kv_at = flash_row(b, 0, kv, a->k_tokens, a->kv_heads, a->head_dim);
    const int q_stride = a->heads * a->head_dim, kv_stride = a->kv_heads * a->head_dim;
    return (struct head){
        .q = {(const char *)a->q + q_at * elem, q_stride},
        .k = {(const char *)a->k + kv_at * elem, kv_stride},
        .v = {(const char *)a->v + kv_at * elem, kv_stride},
        .o = (char *)a->o + q_at * elem,
        .lse = a->lse + ((size_t)b * (size_t)a->heads + (size_t)h) * (size_t)a->q_tokens,
    };
}

/* Adds the keys of tile k to the running result of tile q. */
static void add_keys(const struct vector_ops *vector, const struct attn_args *args,
                     const struct head *head, struct flash_matrix q_rows, struct tile q,
                     struct tile k, struct flash_scratch *w) {
    const struct visible b = tile_block(args->mask, q, k, w->spans);
    if (b.rows == 0)
        return;
    const int d = args->head_dim;
    const struct flash_matrix keys =
        flash_load(head->k, k.begin + b.col, b.cols, d, w->wide ? w->wide->k : NULL);
    const struct flash_matrix values =
        flash_load(head->v, k.begin + b.col, b.cols, d, w->wide ? w->wide->v : NULL);
    float *acc = w->acc + (size_t)b.row * (size_t)d;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, b.rows, b.cols, d, 1,
                q_rows.x + (size_t)b.row * (size_t)q_rows.ld, q_rows.ld, keys.x, keys.ld, 0, w->s,
                b.cols);
    vector->softmax(w->s, b.cols, b.rows, b.cols, w->spans + b.row, args->scale, w->max + b.row,
                    w->sum + b.row, w->correction);
    vector->scale_rows(acc, d, b.rows, d, w->correction);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, b.rows, d, b.cols, 1, w->s, b.cols,
                values.x, values.ld, 1, acc, d);
}

/* Normalises and stores; rows that saw no key are 0 with lse -inf. */
static void finish(const struct attn_args *args, const struct head *head, struct tile q,
                   const struct flash_scratch *w) {
    const int d = args->head_dim;
    for (int i = 0; i < q.count; i++) {
        const float *acc = w->acc + (size_t)i * (size_t)d;
        const size_t at = (size_t)(q.begin + i) * (size_t)head->q.stride;
        const float inverse = w->sum[i] > 0 ? 1 / w->sum[i] : 0;
        for (int j = 0; !w->wide && j < d; j++)
            ((float *)head->o)[at + (size_t)j] = acc[j] * inverse;
        for (int j = 0; w->wide && j < d; j++)
            ((uint16_t *)head->o)[at + (size_t)j] = float_to_bf16(acc[j] * inverse);
        head->lse[q.begin + i] = flash_lse(w->max[i], w->sum[i]);
    }
}

static void attend(const struct vector_ops *vector, const struct attn_args *args,
                   const struct head *head, struct tile q, struct flash_scratch *w) {
    memset(w->acc, 0, (size_t)q.count * (size_t)args->head_dim * sizeof *w->acc);
    for (int i = 0; i < q.count; i++) {
        w->max[i] = -INFINITY;
        w->sum[i] = 0;
    }
    const struct flash_matrix rows =
        flash_load(head->q, q.begin, q.count, args->head_dim, w->wide ? w->wide->q : NULL);
    for (int begin = 0; begin < args->k_tokens;) {
        const struct tile k = flash_k_tile(args, q, begin);
        add_keys(vector, args, head, rows, q, k, w);
        flash_poll(args);
        begin += k.count;
    }
    finish(args, head, q, w);
}

/* One task: a block of queries of one head. */
static void attend_block(const struct attn_kernel *kernel, const struct attn_args *args, int b,
                         int h, int block, struct flash_scratch *w) {
    const struct head head = head_at(args, dtype_bytes(kernel->dtype), b, h);
    const int first = block * FLASH_Q_TILE;
    for (int begin = first; begin < args->q_tokens && begin < first + FLASH_Q_TILE;) {
        const struct tile q = tile_at(args->q_pos, args->q_tokens, begin, FLASH_Q_TILE);
        attend(kernel->vector, args, &head, q, w);
        begin += q.count;
    }
}

/* The last queries, to which a causal mask shows the most keys, go first. */
void flash_forward(const struct attn_kernel *kernel, const struct attn_args *args, int threads) {
    const int blocks = (args->q_tokens + FLASH_Q_TILE - 1) / FLASH_Q_TILE;

#pragma omp parallel for num_threads(threads) schedule(dynamic) collapse(3)
    for (int b = 0; b < args->batch; b++)
        for (int h = 0; h < args->heads; h++)
            for (int i = 0; i < blocks; i++)
                attend_block(kernel, args, b, h, blocks - 1 - i,
                             flash_scratch_of(kernel, args, threads, omp_get_thread_num()));
}
