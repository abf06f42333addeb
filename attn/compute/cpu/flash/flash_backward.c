#include <cblas.h>

#include "attn/compute/cpu/flash/flash.h"
#include "attn/compute/cpu/inner/vector.h"

/* Where the rows of one query head and of the kv head it reads lie. */
struct head {
    struct flash_rows q, dout, k, v;
    const float *lse, *delta;
    float *dq, *dk, *dv;
    int index; /* of (batch, query head) */
};

static struct head head_at(const struct attn_args *a, size_t elem, int b, int h, int kv) {
    const int q_stride = a->heads * a->head_dim, kv_stride = a->kv_heads * a->head_dim;
    const size_t q_at = flash_row(b, 0, h, a->q_tokens, a->heads, a->head_dim);
    const size_t kv_at = flash_row(b, 0, kv, a->k_tokens, a->kv_heads, a->head_dim);
    const int index = b * a->heads + h;
    const size_t row_at = (size_t)index * (size_t)a->q_tokens;
    return (struct head){
        .q = {(const char *)a->q + q_at * elem, q_stride},
        .dout = {(const char *)a->dout + q_at * elem, q_stride},
        .k = {(const char *)a->k + kv_at * elem, kv_stride},
        .v = {(const char *)a->v + kv_at * elem, kv_stride},
        .lse = a->lse + row_at,
        .delta = a->delta + row_at,
        .dq = a->dq + q_at,
        .dk = a->dk + kv_at,
        .dv = a->dv + kv_at,
        .index = index,
    };
}

/* Gradients through the block of queries q and keys k. */
static void add_block(const struct vector_ops *vector, const struct attn_args *args,
                      const struct head *head, struct tile q, struct tile k,
                      struct flash_scratch *w, struct flash_locks *locks) {
    const struct visible b = tile_block(args->mask, q, k, w->spans);
    if (b.rows == 0)
        return;
    struct flash_wide *wide = w->wide;
    const int d = args->head_dim, qs = head->q.stride, ks = head->k.stride;
    const int row = q.begin + b.row, key = k.begin + b.col;
    const size_t k_at = (size_t)key * (size_t)ks;
    const struct flash_matrix q_rows = flash_load(head->q, row, b.rows, d, wide ? wide->q : NULL);
    const struct flash_matrix dout =
        flash_load(head->dout, row, b.rows, d, wide ? wide->dout : NULL);
    const struct flash_matrix keys = flash_load(head->k, key, b.cols, d, wide ? wide->k : NULL);
    const struct flash_matrix values = flash_load(head->v, key, b.cols, d, wide ? wide->v : NULL);

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, b.rows, b.cols, d, 1, q_rows.x, q_rows.ld,
                keys.x, keys.ld, 0, w->s, b.cols);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, b.rows, b.cols, d, 1, dout.x, dout.ld,
                values.x, values.ld, 0, w->dp, b.cols);
    vector->softmax_grad(w->s, w->dp, b.cols, b.rows, b.cols, w->spans + b.row, args->scale,
                         head->lse + row, head->delta + row);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, b.cols, d, b.rows, 1, w->s, b.cols, dout.x,
                dout.ld, 1, head->dv + k_at, ks);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, b.cols, d, b.rows, 1, w->dp, b.cols,
                q_rows.x, q_rows.ld, 1, head->dk + k_at, ks);

    omp_lock_t *lock = flash_lock(locks, head->index, q.begin);
    omp_set_lock(lock);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, b.rows, d, b.cols, 1, w->dp, b.cols,
                keys.x, keys.ld, 1, head->dq + (size_t)row * (size_t)qs, qs);
    omp_unset_lock(lock);
}

/* All queries of one head against the keys of tile k. */
static void add_queries(const struct vector_ops *vector, const struct attn_args *args,
                        const struct head *head, struct tile k, struct flash_scratch *w,
                        struct flash_locks *locks) {
    for (int begin = 0; begin < args->q_tokens;) {
        const struct tile q = flash_q_tile(args, k, begin);
        add_block(vector, args, head, q, k, w, locks);
        flash_poll(args);
        begin += q.count;
    }
}

/* One task: a block of keys of one kv head, and all query heads that read it. */
static void add_keys(const struct attn_kernel *kernel, const struct attn_args *args, int b, int kv,
                     int block, struct flash_scratch *w, struct flash_locks *locks) {
    const struct span heads = flash_heads(args, kv);
    const int first = block * FLASH_K_TILE;
    for (int begin = first; begin < args->k_tokens && begin < first + FLASH_K_TILE;) {
        const struct tile k = tile_at(args->k_pos, args->k_tokens, begin, FLASH_K_TILE);
        for (int h = heads.begin; h < heads.end; h++) {
            const struct head head = head_at(args, dtype_bytes(kernel->dtype), b, h, kv);
            add_queries(kernel->vector, args, &head, k, w, locks);
        }
        begin += k.count;
    }
}

/* The first keys, which a causal mask shows to the most queries, go first. */
void flash_backward(const struct attn_kernel *kernel, const struct attn_args *args, int threads) {
    const int blocks = (args->k_tokens + FLASH_K_TILE - 1) / FLASH_K_TILE;
    struct flash_locks locks;
    flash_locks_init(&locks);

#pragma omp parallel for num_threads(threads) schedule(dynamic) collapse(3)
    for (int b = 0; b < args->batch; b++)
        for (int kv = 0; kv < args->kv_heads; kv++)
            for (int block = 0; block < blocks; block++)
                add_keys(kernel, args, b, kv, block,
                         flash_scratch_of(kernel, args, threads, omp_get_thread_num()), &locks);

    flash_locks_destroy(&locks);
}
