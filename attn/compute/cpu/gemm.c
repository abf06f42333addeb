/* The CPU device's matrix product: SGEMM; or of bf16, blocks that are rounded, packed, and
 * multiplied as the attention kernel multiplies. */
#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "attn/compute/cpu/cpu.h"
#include "attn/compute/cpu/inner/panel.h"
#include "device/bf16.h"

/* A block of C and its operands stay in the second-level cache. */
enum { MC = 512, NC = 256, KC = 256 };

struct gemm_scratch {
    _Alignas(64) float c[MC * NC];
    union {
        struct {
            uint16_t stored[MC * KC]; /* a block of A or B as it lies in memory, rounded */
            uint16_t a[MC * KC];
            _Alignas(64) uint32_t b[NC * KC / 2];
        };
        struct {
            float wide_a[MC * KC], wide_b[KC * NC];
        };
    };
};

size_t cpu_gemm_scratch_bytes(const struct attn_kernel *kernel, int threads) {
    return kernel->dtype == DTYPE_FP32 ? 0 : (size_t)threads * sizeof(struct gemm_scratch);
}

/* Rows and columns of C. */
struct range {
    int row, rows, col, cols;
};

/* A stored operand: op(X)[i, j] is x[i, j], or x[j, i]. */
struct operand {
    const void *x;
    size_t ld;
    enum dtype dtype;
    bool trans;
};

/* The block op(X)[row.., col..] as it is stored, in rows one after the other. */
static void round_block(const struct panel_ops *panels, struct operand o, int row, int rows,
                        int col, int cols, uint16_t *out) {
    const int first = o.trans ? col : row, count = o.trans ? cols : rows;
    const int at = o.trans ? row : col, n = o.trans ? rows : cols;
    for (int i = 0; i < count; i++) {
        const size_t from = (size_t)(first + i) * o.ld + (size_t)at;
        uint16_t *to = out + (size_t)i * (size_t)n;
        if (o.dtype == DTYPE_BF16)
            memcpy(to, (const uint16_t *)o.x + from, (size_t)n * sizeof *to);
        else
            panels->round((const float *)o.x + from, n, to);
    }
}

static void round_floats(const float *x, int n, float *restrict out) {
    for (int i = 0; i < n; i++)
        out[i] = bf16_round(x[i]);
}

/* The same to fp32 numbers that bf16 has. */
static void round_wide(struct operand o, int row, int rows, int col, int cols, float *out) {
    const int first = o.trans ? col : row, count = o.trans ? cols : rows;
    const int at = o.trans ? row : col, n = o.trans ? rows : cols;
    for (int i = 0; i < count; i++, out += n) {
        const size_t from = (size_t)(first + i) * o.ld + (size_t)at;
        if (o.dtype == DTYPE_BF16)
            bf16_widen((const uint16_t *)o.x + from, (size_t)n, out);
        else
            round_floats((const float *)o.x + from, n, out);
    }
}

/* w->c = op(A) op(B) over the k elements from `at` on, on top of what is there from the second
 * piece on. */
static void multiply_pairs(const struct attn_kernel *kernel, struct operand a, struct operand b,
                           struct range c, int at, int k, struct gemm_scratch *w) {
    const struct panel_ops *panels = kernel->panels;
    round_block(panels, a, c.row, c.rows, at, k, w->stored);
    if (a.trans)
        panels->transpose(w->stored, (size_t)c.rows, k, c.rows, w->a, KC);
    else
        panels->copy(w->stored, (size_t)k, c.rows, k, w->a, KC);
    round_block(panels, b, at, k, c.col, c.cols, w->stored);
    if (b.trans)
        panels->pack_transposed(w->stored, (size_t)k, c.cols, k, w->b);
    else
        panels->pack(w->stored, (size_t)c.cols, k, c.cols, w->b);
    kernel->dot->multiply(round_16(c.rows), round_16(c.cols), k + k % 2, w->a, KC, w->b,
                          panel_pairs(k), w->c, NC, at > 0);
}

static void multiply_wide(struct operand a, struct operand b, struct range c, int at, int k,
                          struct gemm_scratch *w) {
    round_wide(a, c.row, c.rows, at, k, w->wide_a);
    round_wide(b, at, k, c.col, c.cols, w->wide_b);
    cblas_sgemm(CblasRowMajor, a.trans ? CblasTrans : CblasNoTrans,
                b.trans ? CblasTrans : CblasNoTrans, c.rows, c.cols, k, 1, w->wide_a,
                a.trans ? c.rows : k, w->wide_b, b.trans ? k : c.cols, at > 0 ? 1 : 0, w->c, NC);
}

static void store_fp32(const float *x, int n, float beta, float *restrict out) {
    for (int i = 0; i < n; i++)
        out[i] = beta == 0 ? x[i] : x[i] + beta * out[i];
}

static void store(const struct gemm_args *g, struct range c, const float *from) {
    for (int i = 0; i < c.rows; i++, from += NC) {
        const size_t at = (size_t)(c.row + i) * (size_t)g->ldc + (size_t)c.col;
        if (g->c_dtype == DTYPE_BF16)
            bf16_narrow(from, (size_t)c.cols, (uint16_t *)g->c + at);
        else
            store_fp32(from, c.cols, g->beta, (float *)g->c + at);
    }
}

static void poll(const struct gemm_args *g) {
    if (g->poll && omp_get_thread_num() == 0)
        g->poll(g->poll_arg);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* A part of C in bf16, block by block. */
static void gemm_bf16(const struct attn_kernel *kernel, const struct gemm_args *g, struct range c,
                      struct gemm_scratch *w) {
    const struct operand a = {g->a, (size_t)g->lda, g->a_dtype, g->trans_a};
    const struct operand b = {g->b, (size_t)g->ldb, g->b_dtype, g->trans_b};
    const struct dot_ops *dot = kernel->dot;
    if (dot && dot->begin)
        dot->begin();
    for (int col = 0; col < c.cols; col += NC)
        for (int row = 0; row < c.rows; row += MC) {
            const struct range block = {
                c.row + row,
                c.rows - row < MC ? c.rows - row : MC,
                c.col + col,
                c.cols - col < NC ? c.cols - col : NC,
            };
            for (int at = 0; at < g->k; at += KC) {
                const int k = g->k - at < KC ? g->k - at : KC;
                if (dot)
                    multiply_pairs(kernel, a, b, block, at, k, w);
                else
                    multiply_wide(a, b, block, at, k, w);
                poll(g);
            }
            store(g, block, w->c);
        }
    if (dot && dot->end)
        dot->end();
}

/* Adds k elements from `at` on to a part of C. */
static void sgemm(const struct gemm_args *g, struct range c, int at, int k) {
    const size_t a_row = g->trans_a ? 1 : (size_t)g->lda, a_col = g->trans_a ? (size_t)g->lda : 1;
    const size_t b_row = g->trans_b ? 1 : (size_t)g->ldb, b_col = g->trans_b ? (size_t)g->ldb : 1;
    const float *a = (const float *)g->a + (size_t)c.row * a_row + (size_t)at * a_col;
    const float *b = (const float *)g->b + (size_t)at * b_row + (size_t)c.col * b_col;
    cblas_sgemm(CblasRowMajor, g->trans_a ? CblasTrans : CblasNoTrans,
                g->trans_b ? CblasTrans : CblasNoTrans, c.rows, c.cols, k, 1, a, g->lda, b, g->ldb,
                at > 0 ? 1 : g->beta, (float *)g->c + (size_t)c.row * (size_t)g->ldc + c.col,
                g->ldc);
}

/* Whole; or in pieces of about a millisecond, between which to poll, that multiply at 0.94 to 0.97
 * of the rate of the whole. */
static void gemm_fp32(const struct gemm_args *g, struct range c) {
    enum { M = 512, N = 512, K = 256 };
    if (!g->poll) {
        sgemm(g, c, 0, g->k);
        return;
    }
    for (int row = 0; row < c.rows; row += M)
        for (int col = 0; col < c.cols; col += N)
            for (int at = 0; at < g->k; at += K) {
                const struct range piece = {c.row + row, least(c.rows - row, M), c.col + col,
                                            least(c.cols - col, N)};
                sgemm(g, piece, at, least(g->k - at, K));
                poll(g);
            }
}

/* One part of C's longer side per thread. Parts begin at multiples of 16, a vector's width. */
void cpu_gemm(const struct attn_kernel *kernel, int threads, void *scratch,
              const struct gemm_args *g) {
    struct gemm_scratch *all = scratch;
    const bool by_rows = g->m >= g->n;
    const int side = by_rows ? g->m : g->n;
    const int part = ((side + threads - 1) / threads + 15) / 16 * 16;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; i++) {
        const int64_t begin = (int64_t)i * part;
        const int count = side - begin < part ? (int)(side - begin) : part;
        if (count <= 0)
            continue;
        const struct range c = by_rows ? (struct range){(int)begin, count, 0, g->n}
                                       : (struct range){0, g->m, (int)begin, count};
        if (kernel->dtype == DTYPE_FP32)
            gemm_fp32(g, c);
        else
            gemm_bf16(kernel, g, c, &all[i]);
    }
}
