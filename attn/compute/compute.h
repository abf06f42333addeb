/* What computes an attention layer on one rank: the part of a device that knows of attention. One
 * row per kind of device, over the row that has its memory (device/device.h).
 *
 * Pointers to tensors, LSE and delta are the device's; position ids and masks are always host
 * memory and need only live during the call. Arguments are the caller's responsibility: what a
 * device cannot do, open() has refused. */
#ifndef SPB_ATTN_COMPUTE_COMPUTE_H
#define SPB_ATTN_COMPUTE_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attn/problem/mask.h"
#include "device/device.h"

/* One block of attention: the queries this rank holds against keys it holds or was sent. */
struct attn_args {
    int batch, heads, kv_heads, head_dim; /* heads here, of this rank */
    int q_tokens, k_tokens;

    /* Query head h reads kv head (q_head0 + h) / group - kv_head0 of k and v: the first global
     * heads that this rank holds, and query heads per kv head in the model. */
    int q_head0, kv_head0, group;

    float scale; /* of the logits, usually 1 / sqrt(head_dim) */
    const struct mask *mask;
    const int32_t *q_pos, *k_pos; /* [q_tokens], [k_tokens]: global positions, in any order */

    const void *q;     /* [batch, q_tokens, heads, head_dim] */
    const void *k, *v; /* [batch, k_tokens, kv_heads, head_dim] */
    void *o;           /* [batch, q_tokens, heads, head_dim], normalised; written by forward */
    float *lse; /* [batch, heads, q_tokens], natural log; written by forward, read by backward */

    /* Backward only. Gradients are fp32 and added to, since a ring adds them block by block: the
     * caller zeroes them. lse and delta are those of the whole rows, over all keys. */
    const void *dout;   /* [batch, q_tokens, heads, head_dim] */
    const float *delta; /* [batch, heads, q_tokens] */
    float *dq;          /* [batch, q_tokens, heads, head_dim] */
    float *dk, *dv;     /* [batch, k_tokens, kv_heads, head_dim] */

    void *workspace; /* of workspace_bytes() */

    /* Called now and then by the calling thread while it computes, so that exchanges in flight make
     * progress; NULL: not at all. */
    void (*poll)(void *arg);
    void *poll_arg;
};

/* C[m, n] = op(A)[m, k] op(B)[k, n] + beta C, row-major, summed in fp32. lda, ldb, ldc: elements
 * from one stored row to the next. beta == 0 does not read C. Operands are multiplied in the
 * device's dtype: one of bf16 rounds them (to nearest even), one of fp32 takes no bf16. */
struct gemm_args {
    bool trans_a, trans_b; /* A is stored [k, m]; B is stored [n, k] */
    int m, n, k;
    const void *a;
    int lda;
    const void *b;
    int ldb;
    float beta; /* 0 with a C of bf16 */
    void *c;
    int ldc;
    enum dtype a_dtype, b_dtype, c_dtype; /* as stored; zero-initialised: fp32 */
    void (*poll)(void *arg);              /* as in struct attn_args */
    void *poll_arg;
};

/* Shape of O and of what goes with it. */
struct rows_shape {
    int batch, tokens, heads, head_dim;
};

struct compute_config {
    enum dtype dtype;   /* of Q, K, V, O, dO */
    int head_dim;       /* that the kernel must support */
    int threads;        /* >= 1 */
    const char *kernel; /* a kernel's name, or "auto" or NULL: the best one available */
};

struct attn_piece;
struct compute_row;

/* An open device with what computes on it. A row's own struct begins with it. */
struct compute {
    const struct compute_row *row;
    struct device *dev;
    const char *kernel; /* the kernel that runs, for the record */
    enum dtype dtype;
};

struct compute_row {
    const struct device_row *device; /* whose name it goes by */

    /* Whether it can do what the configuration asks for; if not, why. */
    bool (*supports)(const struct compute_config *config, char *why, size_t why_size);

    /* Bytes of attn_args.workspace that forward and backward need for pieces up to this one, of a
     * configuration that is supported; nothing is opened. */
    size_t (*workspace_bytes)(const struct compute_config *config, const struct attn_piece *piece);

    /* ST_USAGE for what is not supported, ST_ENV without memory. Logged. The caller closes *out. */
    enum status (*open)(const struct compute_config *config, struct compute **out);
    void (*close)(struct compute *c);

    void (*gemm)(struct compute *c, const struct gemm_args *args);

    /* Runs the instruction that multiplies the device's dtype on registers alone, on all threads at
     * once, for some hundredths of a second: its peak rate, which bounds everything else. Returns
     * the floating-point operations done. NULL, or a result of 0 at once: gemm is the bound. */
    double (*dot_peak)(struct compute *c);

    void (*attn_forward)(struct compute *c, const struct attn_args *args);
    void (*attn_backward)(struct compute *c, const struct attn_args *args);

    /* delta[batch, heads, tokens] = sum over head_dim of dO * O; o, dout of the device's dtype. */
    void (*delta)(struct compute *c, struct rows_shape shape, const void *o, const void *dout,
                  float *delta);

    /* Joins attention over more keys into a running result:
     * lse' = log(exp(lse) + exp(lse_part)), o' = exp(lse - lse') o + exp(lse_part - lse') o_part.
     * lse == -inf: no keys yet; if both are, o' = 0 and lse' = -inf. A row whose lse is -inf is not
     * read, so that a running result starts from lse alone. o is fp32, o_part the device's dtype.
     */
    void (*merge)(struct compute *c, struct rows_shape shape, float *o, float *lse,
                  const void *o_part, const float *lse_part);

    /* Rotary embedding of x [batch, tokens, heads, head_dim], in place (Su et al., "RoFormer",
     * 2021): elements i and i + head_dim/2 are rotated by pos * theta^(-2i/head_dim), the pairing
     * of Hugging Face checkpoints. inverse rotates back, as gradients need. */
    void (*rope)(struct compute *c, struct rows_shape shape, void *x, enum dtype dtype,
                 const int32_t *pos, double theta, bool inverse);
};

/* The table, in the order of --list; ends with NULL. */
extern const struct compute_row *const compute_rows[];

/* Whether it is available and supports config; if not, why (of why_size bytes). */
bool compute_supports(const struct compute_row *row, const struct compute_config *config, char *why,
                      size_t why_size);

/* ST_USAGE or ST_ENV, logged, when compute_supports() would say no. */
enum status compute_open(const struct compute_row *row, const struct compute_config *config,
                         struct compute **out);
void compute_close(struct compute *c); /* NULL is allowed */

#endif
