#include "bench/cases/attn_case.h"

#include <stdio.h>
#include <string.h>

#include "comm/transport/transport.h"

static void pass_of(const char *name, struct problem *p) {
    p->forward = strstr(name, "fwd") != NULL;
    p->backward = strstr(name, "bwd") != NULL;
}

static enum status resolve_problem(const struct case_source *from, size_t i, struct attn_case *c,
                                   char *why, size_t why_size) {
    const struct sweep *sweep = from->sweep;
    struct problem *p = &c->problem;
    p->core_only = sweep_flag(sweep, i, "core-only");
    enum status st = shape_resolve(sweep, i, from->data_dir, !p->core_only, &c->shape);
    if (st == ST_OK)
        st = dtype_parse(sweep_str(sweep, i, "dtype"), &p->dtype);
    if (st == ST_OK)
        st = dtype_parse(sweep_str(sweep, i, "grad-dtype"), &p->grad_dtype);
    if (st != ST_OK)
        return st;
    pass_of(sweep_str(sweep, i, "pass"), p);
    p->batch = (int)sweep_int(sweep, i, "batch");
    p->seq = (int32_t)sweep_int(sweep, i, "seq");
    p->heads = c->shape.heads;
    p->kv_heads = c->shape.kv_heads;
    p->head_dim = c->shape.head_dim;
    p->hidden = c->shape.hidden;
    p->rope_theta = c->shape.rope_theta;
    p->seed = (uint32_t)opts_int(from->opts, "seed", 0);
    p->sp_size = c->spread.sp_size;
    p->dp_shard_size = c->spread.dp_shard_size;
    p->placement = c->spread.placement;
    p->ulysses_size = (int)sweep_int(sweep, i, "ulysses-size");
    p->inner =
        strcmp(sweep_str(sweep, i, "inner"), "ring") == 0 ? USP_INNER_RING : USP_INNER_ULYSSES;
    p->fuse_qkv = strcmp(sweep_str(sweep, i, "fuse-qkv"), "on") == 0;
    p->kv_groups = (int)sweep_int(sweep, i, "kv-groups");
    p->overlap = strcmp(sweep_str(sweep, i, "overlap"), "on") == 0;
    return mask_open(sweep_str(sweep, i, "mask"), p->seq, &p->mask, why, why_size);
}

static enum status resolve_layout(const struct sweep *sweep, size_t i, struct attn_case *c) {
    const char *layout = sweep_str(sweep, i, "layout");
    if (strcmp(layout, "auto") != 0)
        return layout_parse(layout, &c->problem.layout);
    c->problem.layout = c->method->default_layout(&c->problem);
    return ST_OK;
}

static struct compute_config compute_config(const struct attn_case *c, int threads) {
    return (struct compute_config){
        .dtype = c->problem.dtype,
        .head_dim = c->problem.head_dim,
        .threads = c->threads ? c->threads : threads,
        .kernel = c->kernel,
    };
}

enum status attn_case_resolve(const struct case_source *from, size_t i, void *out, char *why,
                              size_t why_size) {
    const struct sweep *sweep = from->sweep;
    struct attn_case *c = out;
    *c = (struct attn_case){0};
    enum status st = spread_resolve(sweep, i, from->ranks, &c->spread);
    if (st != ST_OK)
        return st;
    c->method = sp_method_find(sweep_str(sweep, i, "method"));
    c->device = sweep_str(sweep, i, "device");
    c->kernel = sweep_str(sweep, i, "kernel");
    const char *transport = sweep_str(sweep, i, "transport"),
               *algorithm = sweep_str(sweep, i, "mpi-algo");
    c->one_host.rule = transport_staging(transport, algorithm, true);
    c->apart.rule = transport_staging(transport, algorithm, false);
    c->threads = (int)sweep_int(sweep, i, "threads");
    st = resolve_problem(from, i, c, why, why_size);
    if (st == ST_OK)
        st = resolve_layout(sweep, i, c);
    if (st != ST_OK)
        return st;
    c->method->split(&c->problem);
    if (sweep_flag(sweep, i, "pad"))
        problem_pad(&c->problem);
    if (why[0])
        return ST_OK;
    if (!c->method->supports(&c->problem, why, why_size))
        return ST_OK;
    if (!problem_valid(&c->problem, why, why_size))
        return ST_OK;
    const struct compute_config config = compute_config(c, 1);
    compute_supports(c->device, &config, why, why_size);
    return ST_OK;
}

bool attn_case_comes_to(const void *attn_case, const char *key, char *out, size_t size) {
    const struct attn_case *c = attn_case;
    const struct problem *p = &c->problem;
    const bool split = p->ulysses_size > 1 && p->ring_size > 1;
    out[0] = '\0';
    if ((sp_method_option(key) && !sp_method_has(c->method, key)) ||
        (strcmp(key, "inner") == 0 && !split))
        return true;
    if (strcmp(key, "layout") == 0)
        snprintf(out, size, "%s", layout_name(p->layout));
    else if (strcmp(key, "ulysses_size") == 0)
        snprintf(out, size, "%d", p->ulysses_size);
    return out[0] != '\0';
}

void attn_case_release(void *attn_case) {
    mask_close(&((struct attn_case *)attn_case)->problem.mask);
}

enum status attn_case_open(const struct attn_case *c, int threads, struct compute **out) {
    const struct compute_config config = compute_config(c, threads);
    return compute_open(c->device, &config, out);
}

struct mem_predict attn_case_rank_memory(const struct attn_case *c, int threads,
                                         const struct staging *how, int sp_rank) {
    struct mem_predict m;
    const struct compute_config config = compute_config(c, threads);
    const struct attn_piece piece = predict_piece(&c->problem, c->method, sp_rank);
    const struct predict_env env = {
        .sp_rank = sp_rank,
        .world_size = c->spread.ranks,
        .workspace_bytes = compute_find(c->device)->workspace_bytes(&config, &piece),
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
