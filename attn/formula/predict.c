#include "attn/formula/predict.h"

#include "attn/layer/layer.h"
#include "attn/method/method.h"

/* Every rank's positions, and this rank's Q, K, V, O, with dO, and dQ, dK, dV in fp32. */
static void core(const struct problem *p, const struct predict_env *env, struct mem_predict *out) {
    const struct sp_shape s = problem_shape(p);
    const size_t q = local_q_bytes(&s), kv = local_kv_bytes(&s);
    out->bytes[MEM_WORKSPACE] += 4 * (size_t)problem_padded_seq(p) + env->workspace_bytes;
    out->bytes[MEM_ACTIVATIONS] += 2 * q + kv;
    if (p->backward)
        out->bytes[MEM_ACTIVATIONS] += q + (q + kv) / s.elem_bytes * 4;
}

static size_t padded(size_t elements, size_t ranks) {
    return (elements + ranks - 1) / ranks * ranks;
}

/* fp32 shards of the weights and of their gradients; where there are several, the larger unit
 * whole, twice, and once more for the gradients that arrive; x, y, dy, dx. */
static void projections(const struct problem *p, const struct predict_env *env,
                        struct mem_predict *out) {
    const size_t w = (size_t)env->world_size;
    const size_t qkv = padded(layer_qkv_elements(p), w), o = padded(layer_out_elements(p), w);
    const size_t shards = 4 * (qkv + o) / w;
    const size_t whole = w > 1 ? 4 * (qkv > o ? qkv : o) : 0;
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
    (p->sp_size == 1 ? &sp_local : method)->memory(p, env, out);
}

size_t predict_total(const struct mem_predict *m) {
    size_t total = 0;
    for (int c = 0; c < MEM_CATEGORIES; c++)
        total += m->bytes[c];
    return total;
}

size_t predict_param_bytes(const struct problem *p, int world_size) {
    if (p->core_only)
        return 0;
    const size_t w = (size_t)world_size;
    const size_t shards =
        4 * (padded(layer_qkv_elements(p), w) + padded(layer_out_elements(p), w)) / w;
    /* Gathered once per pass, and the gradients reduced once. */
    const size_t uses = (p->forward ? 1u : 0u) + (p->backward ? 2u : 0u);
    return uses * (w - 1) * shards;
}
