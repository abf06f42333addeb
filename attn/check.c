#include "attn/check.h"

#include <math.h>
#include <string.h>

#include "attn/check_part.h"
#include "base/random.h"

const char *check_tensor_name(enum check_tensor tensor) {
    static const char *const names[CHECK_TENSORS] = {
        [CHECK_O] = "o",
        [CHECK_LSE] = "lse",
        [CHECK_DELTA] = "delta",
        [CHECK_DQ] = "dq",
        [CHECK_DK] = "dk",
        [CHECK_DV] = "dv",
        [CHECK_Y] = "y",
        [CHECK_DX] = "dx",
        [CHECK_DWQ] = "dwq",
        [CHECK_DWK] = "dwk",
        [CHECK_DWV] = "dwv",
        [CHECK_DWO] = "dwo",
        [CHECK_WEIGHTS] = "the gathered weights",
    };
    return names[tensor];
}

void check_note(struct check *c, enum check_tensor tensor, double error) {
    /* A NaN would lose every comparison. */
    c->error[tensor] = fmax(c->error[tensor], isnan(error) ? INFINITY : error);
    c->rows++;
}

/* Neighbours check different heads and sequences, and each rank others in every turn. First that of
 * the next rank, not of this one: under ulysses this rank's tokens with the heads that it computes
 * itself never left it. */
void check_pair(const struct check *c, int sp_rank, int *batch, int *kv_head) {
    const struct problem *p = c->p;
    const int dp = c->l->grid->dp_rank, next = (sp_rank + 1) % p->sp_size;
    const int64_t head = ((int64_t)next * p->kv_heads / p->sp_size + dp) % p->kv_heads;
    const int64_t pairs = (int64_t)p->batch * p->kv_heads;
    const int64_t pair = ((sp_rank + dp) % p->batch * p->kv_heads + head + c->turn) % pairs;
    *kv_head = (int)(pair % p->kv_heads);
    *batch = (int)(pair / p->kv_heads);
}

int32_t check_position(const struct check *c, int i) {
    return c->l->attention.mine[c->token[i]];
}

size_t check_row(const struct check *c, int i) {
    return (size_t)c->batch * (size_t)problem_local_tokens(c->p) + (size_t)c->token[i];
}

void check_read(const struct check *c, const void *tensor, enum dtype dtype, size_t at, int n,
                float *out) {
    struct device *dev = c->l->attention.dev;
    const char *from = (const char *)tensor + at * dtype_bytes(dtype);
    dev->row->download(dev, out, from, (size_t)n * dtype_bytes(dtype));
    if (dtype == DTYPE_FP32)
        return;
    /* In place, from the end: bf16 is the upper half of a float. */
    for (int i = n - 1; i >= 0; i--) {
        uint16_t half;
        memcpy(&half, (const char *)out + (size_t)i * sizeof half, sizeof half);
        const uint32_t bits = (uint32_t)half << 16;
        memcpy(&out[i], &bits, sizeof bits);
    }
}

static void add_token(struct check *c, int token) {
    for (int i = 0; i < c->n_tokens; i++)
        if (c->token[i] == token)
            return;
    c->token[c->n_tokens++] = token;
}

/* A token whose neighbour in the layout is not its neighbour in the sequence. */
static bool at_edge(const int32_t *pos, int n, int i) {
    return i == 0 || i == n - 1 || pos[i] != pos[i - 1] + 1 || pos[i + 1] != pos[i] + 1;
}

/* The ends of every run of positions (evenly chosen ones where there are many), and a few others.
 */
static void choose_tokens(struct check *c) {
    enum { EDGES = 8 };
    const int n = problem_local_tokens(c->p);
    const int32_t *pos = c->l->attention.mine;
    int edges = 0, seen = 0, chosen = -1;
    for (int i = 0; i < n; i++)
        edges += at_edge(pos, n, i);
    for (int i = 0; i < n; i++) {
        if (!at_edge(pos, n, i))
            continue;
        /* EDGES steps from the first edge to the last, or each of them if there are fewer. */
        const int step = edges > 1 ? (int)((int64_t)seen++ * (EDGES - 1) / (edges - 1)) : 0;
        if (step != chosen)
            add_token(c, i);
        chosen = step;
    }
    for (uint32_t i = 0; c->n_tokens < CHECK_TOKENS && i < CHECK_TOKENS - EDGES; i++) {
        const struct philox r = philox4x32(
            (struct philox){{i, (uint32_t)c->batch, (uint32_t)c->kv_head, 0}}, c->p->seed, 0);
        add_token(c, (int)(r.v[0] % (uint32_t)n));
    }
}

/* So many pairs are checked by each rank: under ring it holds all heads, and what it was sent of
 * one tells nothing of the others. Projections make a pair expensive: as many as cost about an
 * iteration. */
static int turns(const struct problem *p) {
    const int most = p->core_only ? 16 : 4;
    const int64_t pairs = (int64_t)p->batch * p->kv_heads;
    return pairs < most ? (int)pairs : most;
}

/* dK and dV that travel in bf16 are rounded at every hop, by 2^-9 of what has come together so far;
 * twice that, and the same for what is computed from them. */
static double tolerance_of(const struct problem *p, enum check_tensor tensor) {
    const bool rounded = tensor == CHECK_DK || tensor == CHECK_DV || tensor == CHECK_DX ||
                         tensor == CHECK_DWK || tensor == CHECK_DWV;
    if (rounded && p->ring_size > 1 && p->grad_dtype == DTYPE_BF16)
        return (p->ring_size - 1) / 128.0;
    return CHECK_TOLERANCE_FP32;
}

enum status check_layer(struct layer *l, struct check_report *out) {
    const struct problem *p = &l->attention.problem;
    struct group *world = l->grid->world;
    struct check c = {.l = l, .p = p, .group = p->heads / p->kv_heads};
    *out = (struct check_report){0};
    enum status st = group_agree(world, l->attention.dev->row->sync(l->attention.dev));
    for (c.turn = 0; st == ST_OK && c.turn < turns(p); c.turn++) {
        check_pair(&c, l->grid->sp_rank, &c.batch, &c.kv_head);
        c.n_tokens = 0;
        choose_tokens(&c);
        st = check_attention(&c);
    }
    if (st == ST_OK && !p->core_only)
        st = check_projections(&c);
    if (st != ST_OK)
        return st;
    if (!p->core_only)
        check_weights(&c);

    group_max(world, c.error, CHECK_TENSORS);
    group_sum(world, &c.rows, 1);
    out->rows = (long)c.rows;
    out->ok = true;
    for (int i = 0; i < CHECK_TENSORS; i++) {
        out->error[i] = c.error[i];
        const double allowed = tolerance_of(p, (enum check_tensor)i);
        out->max_rel_err = fmax(out->max_rel_err, c.error[i]);
        out->ok = out->ok && c.error[i] <= allowed;
        if (c.error[i] / allowed > c.error[out->worst] / tolerance_of(p, out->worst))
            out->worst = (enum check_tensor)i;
    }
    out->allowed = tolerance_of(p, out->worst);
    return ST_OK;
}
