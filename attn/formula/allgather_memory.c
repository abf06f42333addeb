#include "attn/method/allgather.h"
#include "comm/shape/staging.h"
#include "comm/shape/volume.h"

size_t allgather_volume(const struct problem *p, int sp_rank) {
    (void)sp_rank;
    const struct sp_shape s = problem_shape(p);
    return (p->forward ? volume_kv_gather_forward(&s) : 0) +
           (p->backward ? volume_kv_gather_backward(&s) : 0);
}

struct kv_heads allgather_heads(const struct problem *p, struct head_share h) {
    return (struct kv_heads){p->batch, problem_local_tokens(p), p->head_dim, p->kv_heads, h.kv0,
                             h.nkv};
}

bool allgather_double_buffered(const struct problem *p) {
    return p->overlap && head_groups_count(p) > 1;
}

static struct packing packing(const struct problem *p, const struct predict_env *env, int plan) {
    const struct algorithm_name name = staging_nth(env->staging.algorithms, plan);
    return staging_packing(name.text, &env->staging.hosts, env->sp_rank, p->sp_size);
}

/* Each group of heads plans its gather, and then its reduction, after the copies to groups. */
static size_t staging(const struct problem *p, const struct predict_env *env) {
    size_t bytes = 0;
    int plan = head_groups_plans(p);
    for (int i = 0; i < head_groups_count(p); i++) {
        const struct kv_heads h = allgather_heads(p, head_group(p, i));
        bytes += kv_gather_staging(&h, packing(p, env, plan++), dtype_bytes(p->dtype));
        if (p->backward)
            bytes += kv_scatter_staging(&h, packing(p, env, plan++), dtype_bytes(p->grad_dtype));
    }
    return bytes;
}

/* Of the largest group: K/V of all tokens, twice if the next one is gathered meanwhile; the same of
 * the gradients in fp32, of which one is enough if they leave from a copy; and what arrives. */
void allgather_memory(const struct problem *p, const struct predict_env *env,
                      struct mem_predict *out) {
    const size_t all = 2 * (size_t)p->batch * (size_t)problem_local_tokens(p) * (size_t)p->sp_size *
                       (size_t)(head_group_largest(p).nkv * p->head_dim);
    const size_t e = dtype_bytes(p->dtype), g = dtype_bytes(p->grad_dtype);
    const size_t rows = (size_t)p->batch * (size_t)p->heads * (size_t)problem_local_tokens(p);
    const size_t buffers = allgather_double_buffered(p) ? 2 : 1;
    head_groups_memory(p, out);
    out->bytes[MEM_EXCHANGE] += buffers * all * e + staging(p, env);
    out->bytes[MEM_ACTIVATIONS] += 4 * rows * (p->backward ? 2 : 1);
    if (p->backward)
        out->bytes[MEM_EXCHANGE] +=
            (g == 4 ? buffers : 1) * all * 4 + (g < 4 ? all * g : 0) + all * g;
}
