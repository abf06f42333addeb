#include "attn/formula/unified.h"

/* K, V, then Q: in this order they are planned. */
enum { PARTS = 3 };

/* Packed copies of the plan that is the index-th: a tensor of query heads, and n_kv others. */
static size_t staging_one(const struct problem *p, int rank, const struct staging *how, int index,
                          int n_kv) {
    const struct sp_shape s = problem_shape(p);
    return staging_ulysses(&s, rank, staging_nth(how, index), &how->hosts, 1, n_kv);
}

/* Packed copies of the exchange of Q, K and V, or of their gradients, whose plans are the first-th
 * and, where each has its own, the next two. */
static size_t staging_parts(const struct problem *p, int rank, const struct staging *how, int first,
                            bool grads) {
    const struct sp_shape s = problem_shape(p);
    size_t bytes = 0;
    if (p->fuse_qkv)
        return staging_one(p, rank, how, first, 2);
    for (int i = 0; i < PARTS; i++) {
        const struct staging_rule rule = staging_nth(how, first + i);
        const bool kv = i < PARTS - 1;
        bytes += staging_ulysses(&s, rank, kv && !grads ? staging_kv_alone(&s, rule) : rule,
                                 &how->hosts, !kv, kv);
    }
    return bytes;
}

void heads_exchange_memory(const struct problem *p, int ulysses_rank, const struct staging *how,
                           struct mem_predict *out) {
    const int parts = p->fuse_qkv ? 1 : PARTS; /* plans before that of O */
    const struct sp_shape s = problem_shape(p);
    const struct head_share h = head_share(p->heads, p->kv_heads, p->ulysses_size, ulysses_rank);
    const size_t head = (size_t)p->batch * local_tokens(&s) * (size_t)p->ulysses_size *
                        (size_t)p->head_dim; /* of all the group's tokens */
    const size_t q = head * (size_t)h.nq, kv = 2 * head * (size_t)h.nkv, e = s.elem_bytes;
    const size_t slots = (size_t)kv_replica_slots(p->heads, p->kv_heads, p->ulysses_size);
    size_t bytes = (2 * q + kv) * e + staging_parts(p, ulysses_rank, how, 0, false) +
                   staging_one(p, ulysses_rank, how, parts, 0);
    if (p->backward) {
        bytes += q * e + (q + kv) * 4;
        bytes += staging_one(p, ulysses_rank, how, parts + 1, 0);
        bytes += staging_parts(p, ulysses_rank, how, parts + 2, true);
        if (e < 4) /* gradients leaving and arriving */
            bytes += (q + kv) * e + local_q_bytes(&s) + slots * local_kv_bytes(&s);
        else if (slots > 1)
            bytes += slots * local_kv_bytes(&s);
    }
    out->bytes[MEM_EXCHANGE] += bytes;
}
