/* allgather: K/V of all ranks are gathered, whole or by groups of heads. See
 * attn/method/allgather.c. */
#include <stdio.h>

#include "attn/formula/unified.h"
#include "attn/problem/kv_groups.h"
#include "comm/shape/volume.h"

static bool supports(const struct problem *p, char *why, size_t why_size) {
    if (kv_groups_count(p) <= p->kv_heads)
        return true;
    snprintf(why, why_size, "--kv-groups %d gathers whole heads, but there are only %d KV heads",
             p->kv_groups, p->kv_heads);
    return false;
}

static size_t volume(const struct problem *p, int sp_rank) {
    (void)sp_rank;
    const struct sp_shape s = problem_shape(p);
    return (p->forward ? volume_kv_gather_forward(&s) : 0) +
           (p->backward ? volume_kv_gather_backward(&s) : 0);
}

/* One sequence at a time. */
static struct attn_piece piece(const struct problem *p, int sp_rank) {
    (void)sp_rank;
    const struct head_share h = kv_group_largest(p);
    const int tokens = problem_local_tokens(p);
    return (struct attn_piece){1, h.nq, h.nkv, p->head_dim, tokens, tokens * p->sp_size};
}

/* Bytes of K and V of one rank's tokens and n heads. */
static size_t kv_bytes(const struct problem *p, int n, enum dtype dtype) {
    return 2 * (size_t)p->batch * (size_t)problem_local_tokens(p) * (size_t)(n * p->head_dim) *
           dtype_bytes(dtype);
}

static struct packing packing(const struct problem *p, const struct predict_env *env, int plan) {
    return staging_packing(staging_nth(&env->staging, plan), &env->staging.hosts, env->sp_rank,
                           p->sp_size);
}

/* Strided are the heads where they are not all, and the whole where there are several sequences. To
 * MPI a gather is no all-to-all: it goes in pairs whatever the algorithm. */
static size_t gather_staging(const struct problem *p, int n, struct packing how) {
    const size_t bytes = (size_t)how.peers * kv_bytes(p, n, p->dtype);
    const bool heads = n < p->kv_heads && p->batch * problem_local_tokens(p) > 1;
    return (heads ? bytes : 0) + (p->batch > 1 ? bytes : 0);
}

/* K and V of a rank lie apart in the whole: as one message they are packed, with the rank's own. */
static size_t scatter_staging(const struct problem *p, int n, struct packing how) {
    const size_t bytes = kv_bytes(p, n, p->grad_dtype);
    if (how.whole)
        return (size_t)(how.peers + 1) * bytes;
    return p->batch > 1 ? (size_t)how.peers * bytes : 0;
}

/* Each group of heads plans its gather, and then its reduction, after the copies to groups: of Q
 * and O, and of dO, dQ, and dK with dV. */
static size_t staging(const struct problem *p, const struct predict_env *env) {
    const int groups = kv_groups_count(p), copies = p->backward ? 5 : 2;
    size_t bytes = 0;
    for (int i = 0, plan = groups > 1 ? copies : 0; i < groups; i++) {
        const int n = kv_group(p, i).nkv;
        bytes += gather_staging(p, n, packing(p, env, plan++));
        if (p->backward)
            bytes += scatter_staging(p, n, packing(p, env, plan++));
    }
    return bytes;
}

/* Copies of Q, O, dO, dQ, dK and dV, by groups. */
static size_t copies(const struct problem *p) {
    const struct sp_shape s = problem_shape(p);
    const size_t q = local_q_bytes(&s), kv = local_kv_bytes(&s);
    if (kv_groups_count(p) == 1)
        return 0;
    return 2 * q + (p->backward ? q + (q + kv) / s.elem_bytes * 4 : 0);
}

/* Of the largest group: K/V of all tokens, twice if the next one is gathered meanwhile; the same of
 * the gradients in fp32, of which one is enough if they leave from a copy; and what arrives. */
static void memory(const struct problem *p, const struct predict_env *env,
                   struct mem_predict *out) {
    const size_t ranks = (size_t)p->sp_size, n = (size_t)p->batch * (size_t)p->heads;
    const size_t rows = n * (size_t)problem_local_tokens(p);
    const int heads = kv_group_largest(p).nkv;
    const size_t buffers = p->overlap && kv_groups_count(p) > 1 ? 2 : 1;
    const size_t grads = ranks * kv_bytes(p, heads, DTYPE_FP32);
    const size_t wire = ranks * kv_bytes(p, heads, p->grad_dtype);
    out->bytes[MEM_EXCHANGE] +=
        copies(p) + buffers * ranks * kv_bytes(p, heads, p->dtype) + staging(p, env);
    out->bytes[MEM_ACTIVATIONS] += 4 * rows * (p->backward ? 2 : 1);
    if (p->backward)
        out->bytes[MEM_EXCHANGE] += wire < grads ? grads + 2 * wire : (buffers + 1) * grads;
}

const struct sp_method sp_allgather = {
    .name = "allgather",
    .help = "K/V gathered from all ranks, whole or by groups of heads",
    .options = (const char *const[]){"kv_groups", NULL},
    .default_layout = unified_contiguous_layout,
    .split = unified_split_ring,
    .supports = supports,
    .volume = volume,
    .memory = memory,
    .piece = piece,
};
