#include "attn/check.h"

#include <math.h>
#include <string.h>

#include "attn/check_part.h"
#include "base/random.h"

const char *check_tensor_name(enum check_tensor tensor) {
    static const char *const names[CHECK_TENSORS] = {
        [CHECK_O] = "o",     [CHECK_LSE] = "lse", [CHECK_DELTA] = "delta", [CHECK_DQ] = "dq",
        [CHECK_DK] = "dk",   [CHECK_DV] = "dv",   [CHECK_Y] = "y",         [CHECK_DX] = "dx",
        [CHECK_DWQ] = "dwq", [CHECK_DWK] = "dwk", [CHECK_DWV] = "dwv",     [CHECK_DWO] = "dwo",
    };
    return names[tensor];
}

void check_note(struct check *c, enum check_tensor tensor, double error) {
    /* A NaN would lose every comparison. */
    c->error[tensor] = fmax(c->error[tensor], isnan(error) ? INFINITY : error);
    c->rows++;
}

/* Neighbours check different heads and sequences. That of the next rank, not of this one: under
 * ulysses this rank's tokens with the heads that it computes itself never left it. */
void check_pair(const struct check *c, int sp_rank, int *batch, int *kv_head) {
    const struct problem *p = c->p;
    const int dp = c->l->grid->dp_rank, next = (sp_rank + 1) % p->sp_size;
    *kv_head = (int)(((int64_t)next * p->kv_heads / p->sp_size + dp) % p->kv_heads);
    *batch = (sp_rank + dp) % p->batch;
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

enum status check_layer(struct layer *l, double tolerance, struct check_report *out) {
    const struct problem *p = &l->attention.problem;
    struct group *world = l->grid->world;
    struct check c = {.l = l, .p = p, .group = p->heads / p->kv_heads};
    *out = (struct check_report){0};
    check_pair(&c, l->grid->sp_rank, &c.batch, &c.kv_head);
    choose_tokens(&c);

    enum status st = group_agree(world, l->attention.dev->row->sync(l->attention.dev));
    if (st == ST_OK)
        st = check_attention(&c);
    if (st == ST_OK && !p->core_only)
        st = check_projections(&c);
    if (st != ST_OK)
        return st;

    group_max(world, c.error, CHECK_TENSORS);
    group_sum(world, &c.rows, 1);
    out->rows = (long)c.rows;
    for (int i = 0; i < CHECK_TENSORS; i++) {
        out->error[i] = c.error[i];
        if (c.error[i] > out->max_rel_err) {
            out->max_rel_err = c.error[i];
            out->worst = (enum check_tensor)i;
        }
    }
    out->ok = out->max_rel_err <= tolerance;
    return ST_OK;
}
