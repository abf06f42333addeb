#include "attn/method/parts/tensors.h"

size_t attention_kv_elements(const struct problem *p) {
    return (size_t)p->batch * (size_t)problem_local_tokens(p) * (size_t)p->kv_heads *
           (size_t)p->head_dim;
}

enum status attention_floats(struct attention *a, enum mem_category category, size_t n,
                             float **out) {
    *out = a->dev->row->alloc(a->dev, a->ledger, category, n * sizeof(float));
    return *out ? ST_OK : ST_ENV;
}

static enum status alloc_buffers(struct attention *a) {
    const struct problem *p = &a->problem;
    const size_t elem = dtype_bytes(p->dtype);
    const size_t kv = 2 * attention_kv_elements(p);
    const size_t q = kv / 2 / (size_t)p->kv_heads * (size_t)p->heads;
    const struct {
        struct buffer *buffer;
        size_t bytes;
        bool backward;
    } tensors[] = {
        {&a->q, q * elem, false},          {&a->kv, kv * elem, false},
        {&a->o, q * elem, false},          {&a->dout, q * elem, true},
        {&a->dq, q * sizeof(float), true}, {&a->dkv, kv * sizeof(float), true},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        if (tensors[i].backward && !p->backward)
            continue;
        const enum status st =
            buffer_alloc(a->transport, MEM_ACTIVATIONS, tensors[i].bytes, tensors[i].buffer);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static enum status alloc_workspace(struct attention *a) {
    const struct compute *c = a->compute;
    const struct attn_piece piece = a->method->piece(&a->problem, a->sp->rank);
    const struct compute_config config = {c->dtype, piece.head_dim, c->dev->threads, c->kernel};
    a->workspace = a->dev->row->alloc(a->dev, a->ledger, MEM_WORKSPACE,
                                      c->row->workspace_bytes(&config, &piece));
    return a->workspace ? ST_OK : ST_ENV;
}

/* Which tokens every SP rank has. */
static enum status place_tokens(struct attention *a) {
    const struct problem *p = &a->problem;
    a->pos = mem_alloc(a->ledger, MEM_WORKSPACE, (size_t)problem_padded_seq(p) * sizeof *a->pos);
    if (!a->pos)
        return ST_ENV;
    const size_t n = (size_t)problem_local_tokens(p);
    for (int r = 0; r < p->sp_size; r++) {
        int ulysses_rank, ring_rank;
        usp_coordinates(p->inner, p->ulysses_size, p->ring_size, r, &ulysses_rank, &ring_rank);
        int32_t *pos = a->pos + (size_t)(ring_rank * p->ulysses_size + ulysses_rank) * n;
        problem_positions(p, r, pos);
        if (r == a->sp->rank)
            a->mine = pos;
    }
    return ST_OK;
}

enum status tensors_alloc(struct attention *a) {
    enum status st = place_tokens(a);
    if (st == ST_OK)
        st = alloc_buffers(a);
    return st == ST_OK ? alloc_workspace(a) : st;
}

void tensors_free(struct attention *a) {
    struct buffer *const buffers[] = {&a->dkv, &a->dq, &a->dout, &a->o, &a->kv, &a->q};
    a->dev->row->free(a->dev, a->ledger, a->workspace);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(a->transport, buffers[i]);
    mem_free(a->ledger, a->pos);
}
