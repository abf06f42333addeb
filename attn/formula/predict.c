#include "attn/formula/predict.h"

#include "attn/formula/method.h"

/* Every rank's positions, and this rank's Q, K, V, O, with dO, and dQ, dK, dV in fp32. */
static void core(const struct problem *p, const struct predict_env *env, struct mem_predict *out) {
    const struct sp_shape s = problem_shape(p);
    const size_t q = local_q_bytes(&s), kv = local_kv_bytes(&s);
    out->bytes[MEM_WORKSPACE] += 4 * (size_t)problem_padded_seq(p) + env->workspace_bytes;
    out->bytes[MEM_ACTIVATIONS] += 2 * q + kv;
    if (p->backward)
        out->bytes[MEM_ACTIVATIONS] += q + (q + kv) / s.elem_bytes * 4;
}

/* fp32 weights of `heads` heads, spread over ranks: bytes of one rank's part, the last of which are
 * padded. */
static size_t shard(const struct problem *p, int heads, int ranks) {
    const size_t n = (size_t)heads * (size_t)p->head_dim * (size_t)p->hidden, r = (size_t)ranks;
    return (n + r - 1) / r * 4;
}

/* Of wq, wk and wv, which are one unit, and of wo. */
static size_t qkv_shard(const struct problem *p, int ranks) {
    return shard(p, p->heads + 2 * p->kv_heads, ranks);
}

static size_t out_shard(const struct problem *p, int ranks) {
    return shard(p, p->heads, ranks);
}

/* Shards of the weights and of their gradients; where there are several, the larger unit whole,
 * twice, and once more for the gradients that arrive; x, y, dy, dx. */
static void projections(const struct problem *p, const struct predict_env *env,
                        struct mem_predict *out) {
    const int w = env->world_size;
    const size_t qkv = qkv_shard(p, w), o = out_shard(p, w), shards = qkv + o;
    const size_t whole = w > 1 ? (qkv > o ? qkv : o) * (size_t)w : 0;
    const size_t token = 4 * (size_t)p->batch * (size_t)problem_local_tokens(p) * (size_t)p->hidden;
    out->bytes[MEM_WEIGHTS] += shards + whole;
    out->bytes[MEM_ACTIVATIONS] += (p->backward ? 4 : 2) * token;
    if (!p->backward)
        return;
    out->bytes[MEM_GRADIENTS] += shards + whole;
    out->bytes[MEM_EXCHANGE] += whole;
}

void predict_memory(const struct problem *p, const struct sp_method *method,
                    const struct predict_env *env, struct mem_predict *out) {
    *out = (struct mem_predict){0};
    core(p, env, out);
    if (!p->core_only)
        projections(p, env, out);
    sp_method_on(p, method)->memory(p, env, out);
}

size_t predict_total(const struct mem_predict *m) {
    size_t total = 0;
    for (int c = 0; c < MEM_CATEGORIES; c++)
        total += m->bytes[c];
    return total;
}

struct attn_piece predict_piece(const struct problem *p, const struct sp_method *method,
                                int sp_rank) {
    return sp_method_on(p, method)->piece(p, sp_rank);
}

/* Gathered once per pass, and the gradients reduced once. */
size_t predict_param_bytes(const struct problem *p, int world_size) {
    const size_t uses = (p->forward ? 1u : 0u) + (p->backward ? 2u : 0u);
    if (p->core_only)
        return 0;
    return uses * (size_t)(world_size - 1) * (qkv_shard(p, world_size) + out_shard(p, world_size));
}
