#include "attn/problem/problem.h"

#include <math.h>
#include <stdio.h>

#include "attn/problem/flops.h"

struct sp_shape problem_shape(const struct problem *p) {
    return (struct sp_shape){
        .batch = p->batch,
        .seq = (size_t)problem_padded_seq(p),
        .heads = p->heads,
        .kv_heads = p->kv_heads,
        .head_dim = p->head_dim,
        .sp_size = p->sp_size,
        .ulysses_size = p->ulysses_size,
        .ring_size = p->ring_size,
        .elem_bytes = dtype_bytes(p->dtype),
        .grad_bytes = dtype_bytes(p->grad_dtype),
    };
}

int32_t problem_padded_seq(const struct problem *p) {
    return p->padded_seq > 0 ? p->padded_seq : p->seq;
}

/* A sequence too long to be padded stays as it is, for problem_valid() to refuse. */
void problem_pad(struct problem *p) {
    const int64_t padded = layout_padded(p->layout, p->seq, p->sp_size);
    p->padded_seq = padded < POS_NOWHERE ? (int32_t)padded : 0;
}

void problem_positions(const struct problem *p, int sp_rank, int32_t *pos) {
    const int32_t padded = problem_padded_seq(p);
    if (p->layout == LAYOUT_ZIGZAG && p->mask.n_docs > 0)
        layout_zigzag_documents(p->mask.docs, p->mask.n_docs, padded, p->sp_size, sp_rank, pos);
    else
        layout_positions(p->layout, padded, p->sp_size, sp_rank, pos);
    for (int i = 0; i < problem_local_tokens(p); i++)
        if (pos[i] >= p->seq)
            pos[i] = POS_NOWHERE;
}

int problem_local_tokens(const struct problem *p) {
    return problem_padded_seq(p) / p->sp_size;
}

double problem_tokens(const struct problem *p) {
    return (double)p->batch * p->seq * p->dp_shard_size;
}

double problem_part_flops(const struct problem *p, int heads, uint64_t pairs, int64_t tokens) {
    double flops = 0;
    if (p->forward)
        flops += flops_attn_fwd(p->batch, heads, p->head_dim, pairs);
    if (p->backward)
        flops += flops_attn_bwd(p->batch, heads, p->head_dim, pairs);
    if (p->forward && !p->core_only)
        flops += flops_proj_fwd(tokens, p->hidden, p->heads, p->kv_heads, p->head_dim);
    if (p->backward && !p->core_only)
        flops += flops_proj_bwd(tokens, p->hidden, p->heads, p->kv_heads, p->head_dim);
    return flops;
}

double problem_flops(const struct problem *p) {
    const uint64_t pairs = mask_visible_pairs(&p->mask, p->seq);
    return problem_part_flops(p, p->heads, pairs, (int64_t)p->batch * p->seq) * p->dp_shard_size;
}

bool problem_valid(const struct problem *p, char *why, size_t why_size) {
    if (p->heads % p->kv_heads != 0) {
        snprintf(why, why_size,
                 "%d query heads cannot share %d KV heads evenly; kv-heads must divide heads",
                 p->heads, p->kv_heads);
        return false;
    }
    if (!p->core_only && p->head_dim % 2 != 0) {
        snprintf(why, why_size,
                 "RoPE pairs the elements of a head, but head_dim %d is odd; use --core-only",
                 p->head_dim);
        return false;
    }
    return layout_divides(p->layout, problem_padded_seq(p), p->sp_size, why, why_size);
}

/* Q and K uniform in [-1, 1): q.k / sqrt(D) has a standard deviation of 1/3. */
float problem_q_scale(const struct problem *p) {
    (void)p;
    return 9.0f;
}

float problem_logit_scale(const struct problem *p) {
    return 1.0f / sqrtf((float)p->head_dim);
}

/* Keeps the variance of what goes through: uniform in [-a, a) has variance a^2 / 3. */
float problem_weight_scale(int fan_in) {
    return sqrtf(3.0f / (float)fan_in);
}
