#include "attn/formula/unified.h"

#include <stdio.h>

#include "comm/shape/volume.h"

enum layout unified_balanced_layout(const struct problem *p) {
    return p->mask.causal ? LAYOUT_ZIGZAG : LAYOUT_CONTIGUOUS;
}

enum layout unified_contiguous_layout(const struct problem *p) {
    (void)p;
    return LAYOUT_CONTIGUOUS;
}

void unified_split_ring(struct problem *p) {
    p->ulysses_size = 1;
    p->ring_size = p->sp_size;
}

bool unified_heads_suffice(const struct problem *p, char *why, size_t why_size) {
    if (p->heads >= p->ulysses_size)
        return true;
    snprintf(why, why_size,
             "ulysses gives each rank whole heads, but %d heads are fewer than ulysses_size %d; "
             "use --method usp with --ulysses-size %d or less, or --method ring",
             p->heads, p->ulysses_size, p->heads);
    return false;
}

static int ulysses_rank_of(const struct problem *p, int sp_rank) {
    int u, r;
    usp_coordinates(p->inner, p->ulysses_size, p->ring_size, sp_rank, &u, &r);
    return u;
}

size_t unified_volume(const struct problem *p, int sp_rank) {
    const struct sp_shape s = problem_shape(p);
    const int u = ulysses_rank_of(p, sp_rank);
    return (p->forward ? volume_usp_forward(&s, u) : 0) +
           (p->backward ? volume_usp_backward(&s, u) : 0);
}

/* A ring of `ranks` with these heads and tokens each. */
static void ring_memory(const struct problem *p, struct head_share heads, size_t tokens, int ranks,
                        struct mem_predict *out) {
    const size_t rows = (size_t)p->batch * tokens * (size_t)heads.nq;
    const size_t q = rows * (size_t)p->head_dim;
    const size_t kv = 2 * (size_t)p->batch * tokens * (size_t)(heads.nkv * p->head_dim);
    const size_t e = dtype_bytes(p->dtype), g = dtype_bytes(p->grad_dtype);
    out->bytes[MEM_ACTIVATIONS] += 4 * rows * (p->backward ? 2 : 1);
    if (ranks == 1)
        return;
    /* Two visiting K/V blocks (of two ranks, one), and dK/dV leaving and arriving. */
    out->bytes[MEM_EXCHANGE] += (ranks == 2 ? 1 : 2) * kv * e + (p->backward ? 2 * kv * g : 0);
    /* A partial output with its LSE, the fp32 sum unless O is one, and the gradient of a visiting
     * block. */
    out->bytes[MEM_WORKSPACE] +=
        q * e + 4 * rows + (e < 4 ? 4 * q : 0) + (p->backward ? 4 * kv : 0);
}

void unified_memory(const struct problem *p, const struct predict_env *env,
                    struct mem_predict *out) {
    const size_t tokens = (size_t)problem_local_tokens(p) * (size_t)p->ulysses_size;
    struct staging how = env->staging;
    int u, r;
    usp_coordinates(p->inner, p->ulysses_size, p->ring_size, env->sp_rank, &u, &r);
    how.hosts = usp_ulysses_hosts(how.hosts, p->inner, p->ulysses_size, p->ring_size, r);
    if (p->ulysses_size > 1)
        heads_exchange_memory(p, u, &how, out);
    ring_memory(p, head_share(p->heads, p->kv_heads, p->ulysses_size, u), tokens, p->ring_size,
                out);
}

struct attn_piece unified_piece(const struct problem *p, int sp_rank) {
    const struct head_share h =
        head_share(p->heads, p->kv_heads, p->ulysses_size, ulysses_rank_of(p, sp_rank));
    const int tokens = problem_local_tokens(p) * p->ulysses_size;
    return (struct attn_piece){p->batch, h.nq, h.nkv, p->head_dim, tokens, tokens};
}
