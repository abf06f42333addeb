#include "attn/check/check.h"

#include <math.h>

#include "attn/check/part.h"
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

/* Padding has no results. */
static void add_token(struct check *c, int token) {
    if (c->l->attention.mine[token] == POS_NOWHERE)
        return;
    for (int i = 0; i < c->n_tokens; i++)
        if (c->token[i] == token)
            return;
    c->token[c->n_tokens++] = token;
}

/* The first or last token that the rank holds of a chunk of the layout or of a document. */
static bool at_edge(const struct check *c, int i) {
    const int32_t *pos = c->l->attention.mine;
    const struct mask *mask = &c->p->mask;
    if (i == 0 || i == problem_local_tokens(c->p) - 1)
        return true;
    const int document = mask_document(mask, pos[i]);
    return pos[i] - pos[i - 1] != pos[i + 1] - pos[i] ||
           mask_document(mask, pos[i - 1]) != document ||
           mask_document(mask, pos[i + 1]) != document;
}

/* Edges are dealt out to turns; so many to each. */
enum { EDGES = 8 };
_Static_assert(EDGES + 2 <= CHECK_TOKENS, "a turn has its edges, the first and the last token");

static int count_edges(const struct check *c) {
    int edges = 0;
    for (int i = 0; i < problem_local_tokens(c->p); i++)
        edges += at_edge(c, i);
    return edges;
}

/* The rank's first and last token, the turn's edges, and a few others. */
static void choose_tokens(struct check *c) {
    const int n = problem_local_tokens(c->p);
    const int deal = (count_edges(c) + EDGES - 1) / EDGES;
    add_token(c, 0);
    add_token(c, n - 1);
    for (int i = 0, edge = 0; i < n; i++)
        if (at_edge(c, i) && edge++ % deal == c->turn % deal)
            add_token(c, i);
    for (uint32_t i = 0; c->n_tokens < CHECK_TOKENS && i < CHECK_TOKENS; i++) {
        const struct philox r = philox4x32(
            (struct philox){{i, (uint32_t)c->batch, (uint32_t)c->kv_head, (uint32_t)c->turn}},
            c->p->seed, 0);
        add_token(c, (int)(r.v[0] % (uint32_t)n));
    }
}

/* So many pairs are checked by each rank: under ring it holds all heads, and what it was sent of
 * one tells nothing of the others; and so many times that all edges are. Projections make a pair
 * expensive: as many as cost about an iteration. Collective over the world. */
static int count_turns(const struct check *c) {
    const struct problem *p = c->p;
    double most = p->core_only ? 16 : 4, edges = count_edges(c);
    group_max(c->l->grid->world, &edges, 1);
    return (int)fmin(most, fmax((double)p->batch * p->kv_heads, ceil(edges / EDGES)));
}

/* dK and dV that travel in bf16 are rounded at every hop, by up to 2^-8 of what has come together
 * so far (or once on the way home, by 2^-8 of each contribution). That can be more than the whole,
 * since contributions cancel: here, five times. So every hop adds what a result in bf16 is allowed.
 */
static double tolerance_of(const struct problem *p, enum check_tensor tensor) {
    const bool travels = tensor == CHECK_DK || tensor == CHECK_DV;
    const double own = p->dtype == DTYPE_BF16 ? CHECK_TOLERANCE_BF16 : CHECK_TOLERANCE_FP32;
    if (travels && p->ring_size > 1 && p->grad_dtype == DTYPE_BF16)
        return own + (p->ring_size - 1) * CHECK_TOLERANCE_BF16;
    return own;
}

enum status check_layer(struct layer *l, struct check_report *out) {
    const struct problem *p = &l->attention.problem;
    struct group *world = l->grid->world;
    struct check c = {.l = l, .p = p, .group = p->heads / p->kv_heads};
    *out = (struct check_report){0};
    enum status st = group_agree(world, l->attention.dev->row->sync(l->attention.dev));
    const int turns = st == ST_OK ? count_turns(&c) : 0;
    for (c.turn = 0; c.turn < turns && st == ST_OK; c.turn++) {
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

    check_combine(&c, out);
    out->ok = true;
    for (int i = 0; i < CHECK_TENSORS; i++) {
        const double allowed = tolerance_of(p, (enum check_tensor)i);
        out->max_rel_err = fmax(out->max_rel_err, out->error[i]);
        out->ok = out->ok && out->error[i] <= allowed;
        if (out->error[i] / allowed > out->error[out->worst] / tolerance_of(p, out->worst))
            out->worst = (enum check_tensor)i;
    }
    out->allowed = tolerance_of(p, out->worst);
    return ST_OK;
}
