#include "bench/cases/attn_case.h"

#include <string.h>

/* A model that does not attend causally is measured under the mask it has, which must be said. */
static enum status check_mask(const struct model_shape *shape, const char *mask) {
    const bool own = shape->mask[0] && strcmp(shape->mask, "causal") != 0;
    if (!own || strstr(mask, shape->mask))
        return ST_OK;
    return fail(ST_USAGE, "model %s has the mask %s, not %s: give --mask %s", shape->name,
                shape->mask, mask, shape->mask);
}

static enum status resolve_problem(const struct case_source *from, struct options *o,
                                   struct attn_case *c, char *why, size_t why_size) {
    enum status st = model_shape_resolve(o, from->data_dir, !o->core_only, &c->shape);
    if (st == ST_OK)
        st = check_mask(&c->shape, o->mask);
    if (st != ST_OK)
        return st;
    c->problem = (struct problem){
        .batch = o->batch,
        .seq = o->seq,
        .heads = c->shape.heads,
        .kv_heads = c->shape.kv_heads,
        .head_dim = c->shape.head_dim,
        .hidden = c->shape.hidden,
        .rope_theta = c->shape.rope_theta,
        .dtype = o->dtype,
        .grad_dtype = o->grad_dtype,
        .forward = o->pass & OP_FORWARD,
        .backward = o->pass & OP_BACKWARD,
        .core_only = o->core_only,
        .seed = o->seed,
        .sp_size = c->grid.sp_size,
        .dp_shard_size = c->grid.dp_shard_size,
        .ulysses_size = o->ulysses_size,
        .inner = o->inner,
        .placement = c->grid.placement,
        .fuse_qkv = o->fuse_qkv,
        .kv_groups = o->kv_groups,
        .overlap = o->overlap,
    };
    return mask_open(o->mask, o->seq, &c->problem.mask, why, why_size);
}

/* What "auto" takes. */
static void settle(struct options *o, struct attn_case *c) {
    struct problem *p = &c->problem;
    p->layout = o->layout = o->layout == LAYOUTS ? c->method->default_layout(p) : o->layout;
    c->method->split(p);
    o->ulysses_size = p->ulysses_size;
    if (p->ulysses_size == 1 || p->ring_size == 1) /* there is but one order */
        o->inner = USP_INNER_ULYSSES;
    if (o->pad)
        problem_pad(p);
}

static struct compute_config compute_config(const struct attn_case *c, int threads) {
    return (struct compute_config){
        .dtype = c->problem.dtype,
        .head_dim = c->problem.head_dim,
        .threads = c->threads ? c->threads : threads,
        .kernel = c->kernel,
    };
}

enum status attn_case_resolve(const struct case_source *from, struct options *o, void *out,
                              char *why, size_t why_size) {
    struct attn_case *c = out;
    *c = (struct attn_case){
        .method = o->method, .compute = o->device, .kernel = o->kernel, .threads = o->threads};
    options_keep(o, c->method->options);
    enum status st = grid_shape_resolve(o, from->ranks, &c->grid);
    if (st != ST_OK)
        return st;
    staging_resolve(o, &c->one_host, &c->apart);
    st = resolve_problem(from, o, c, why, why_size);
    if (st != ST_OK)
        return st;
    settle(o, c);
    const struct compute_config config = compute_config(c, 1);
    if (!why[0] && c->method->supports(&c->problem, why, why_size) &&
        problem_valid(&c->problem, why, why_size))
        compute_supports(c->compute, &config, why, why_size);
    return ST_OK;
}

void attn_case_release(void *attn_case) {
    mask_close(&((struct attn_case *)attn_case)->problem.mask);
}

enum status attn_case_open(const struct attn_case *c, int threads, struct compute **out) {
    const struct compute_config config = compute_config(c, threads);
    return compute_open(c->compute, &config, out);
}

struct mem_predict attn_case_rank_memory(const struct attn_case *c, int threads,
                                         const struct staging *how, int sp_rank) {
    struct mem_predict m;
    const struct compute_config config = compute_config(c, threads);
    const struct attn_piece piece = predict_piece(&c->problem, c->method, sp_rank);
    const struct predict_env env = {
        .sp_rank = sp_rank,
        .world_size = c->grid.ranks,
        .workspace_bytes = c->compute->workspace_bytes(&config, &piece),
        .staging = *how,
    };
    predict_memory(&c->problem, c->method, &env, &m);
    return m;
}

size_t attn_case_memory(const struct attn_case *c, const struct staging *how) {
    size_t most = 0;
    for (int r = 0; r < c->problem.sp_size; r++) {
        const struct mem_predict m = attn_case_rank_memory(c, 1, how, r);
        most = predict_total(&m) > most ? predict_total(&m) : most;
    }
    return most;
}
