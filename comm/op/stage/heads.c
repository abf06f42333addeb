#include "comm/op/stage/heads.h"

#include <stdlib.h>
#include <string.h>

#include "comm/op/data/pattern.h"
#include "comm/op/data/reduce.h"

struct group *heads_group(struct op_stage *s) {
    return s->usp->ulysses.size > 0 ? &s->usp->ulysses : s->group;
}

static int ring_rank_of(const struct op_stage *s) {
    return s->usp->ring.size > 0 ? s->usp->ring.rank : 0;
}

static struct head_share share_of(struct op_stage *s, int ulysses_rank) {
    const struct sp_shape *shape = &s->params.shape;
    return head_share(shape->heads, shape->kv_heads, heads_group(s)->size, ulysses_rank);
}

static struct head_share my_share(struct op_stage *s) {
    return share_of(s, heads_group(s)->rank);
}

static size_t head_bytes(const struct op_stage *s) {
    return (size_t)s->params.shape.head_dim * s->params.shape.elem_bytes;
}

static int all_heads(const struct op_stage *s, int x) {
    return head_tensor_kv(x) ? s->params.shape.kv_heads : s->params.shape.heads;
}

/* Copies of a tensor on the token side: gradients of replicas arrive apart, in one slot each. */
static int slots_of(struct op_stage *s, int x) {
    const struct sp_shape *shape = &s->params.shape;
    return head_tensor_kv(x) && !head_tensor_goes(s, x)
               ? kv_replica_slots(shape->heads, shape->kv_heads, heads_group(s)->size)
               : 1;
}

/* Of one slot. */
static size_t token_elements(const struct op_stage *s, int x) {
    const struct sp_shape *shape = &s->params.shape;
    return (size_t)shape->batch * local_tokens(shape) * (size_t)all_heads(s, x) *
           (size_t)shape->head_dim;
}

size_t heads_token_bytes(struct op_stage *s, int x) {
    const int slots = slots_of(s, x);
    return (size_t)(slots > 1 ? slots + 1 : 1) * token_elements(s, x) * s->params.shape.elem_bytes;
}

size_t heads_head_bytes(struct op_stage *s, int x) {
    const struct sp_shape *shape = &s->params.shape;
    const struct head_share mine = my_share(s);
    return (size_t)shape->batch * group_tokens(shape) *
           (size_t)(head_tensor_kv(x) ? mine.nkv : mine.nq) * head_bytes(s);
}

struct ulysses_tensor heads_sides(const struct op_stage *s, int x) {
    static const int side[HEAD_TENSORS] = {HEAD_SIDE_Q, HEAD_SIDE_KV, HEAD_SIDE_KV, HEAD_SIDE_OUT};
    const struct buffer *heads = &s->buffers[side[x]];
    return (struct ulysses_tensor){&s->buffers[x], 0, heads, x == HEAD_V ? heads->bytes / 2 : 0,
                                   head_tensor_kv(x)};
}

static char *head_data(const struct op_stage *s, int x) {
    const struct ulysses_tensor t = heads_sides(s, x);
    return (char *)t.head_side->data + t.head_offset;
}

/* Where slots are to be summed, the sum stands behind them: a slot that no rank writes must stay
 * zero. */
static char *token_result(struct op_stage *s, int x) {
    const int slots = slots_of(s, x);
    const size_t bytes = token_elements(s, x) * s->params.shape.elem_bytes;
    return (char *)s->buffers[x].data + (slots > 1 ? (size_t)slots * bytes : 0);
}

static struct pattern pattern_of(const struct op_stage *s, int x) {
    static const enum tensor_id ids[HEAD_TENSORS] = {TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_DO};
    return (struct pattern){s->params.seed, ids[x], s->params.shape.elem_bytes};
}

/* dK and dV while they travel, other values than where they start or end. */
static struct pattern travelling(const struct op_stage *s, int x) {
    return (struct pattern){s->params.seed, x == HEAD_K ? TENSOR_X : TENSOR_DY,
                            s->params.shape.grad_bytes};
}

/* Gradients of replicas differ by contributor: the generator's batch index carries who made them (0
 * for everything that only one rank makes). */
static int made_by(struct op_stage *s, int x, int ulysses_rank) {
    return slots_of(s, x) > 1 ? ulysses_rank * s->params.shape.batch : 0;
}

typedef uint64_t visit_fn(const struct pattern *p, int batch, size_t token, int head, int n_heads,
                          int head_dim, void *row);

static uint64_t visit_fill(const struct pattern *p, int batch, size_t token, int head, int n_heads,
                           int head_dim, void *row) {
    pattern_fill_heads(p, batch, token, head, n_heads, head_dim, row);
    return 0;
}

static uint64_t visit_check(const struct pattern *p, int batch, size_t token, int head, int n_heads,
                            int head_dim, void *row) {
    return pattern_wrong_heads(p, batch, token, head, n_heads, head_dim, row);
}

/* One tensor of the head side: the tokens of the Ulysses group at ring_rank, in the order of its
 * ranks, with this rank's heads. first_batch: what the generator calls batch 0. */
static uint64_t visit_heads(struct op_stage *s, int x, struct pattern p, int first_batch,
                            int ring_rank, char *row, visit_fn *visit) {
    const struct sp_shape *shape = &s->params.shape;
    const struct head_share mine = my_share(s);
    const int first = head_tensor_kv(x) ? mine.kv0 : mine.q0;
    const int n = head_tensor_kv(x) ? mine.nkv : mine.nq;
    const int ulysses_size = heads_group(s)->size;
    const size_t row_bytes = (size_t)n * (size_t)shape->head_dim * p.elem_bytes;
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (int u = 0; u < ulysses_size; u++) {
            const int holder = usp_rank(s->params.inner, ulysses_size,
                                        s->group->size / ulysses_size, u, ring_rank);
            const size_t token = (size_t)holder * local_tokens(shape);
            for (size_t t = 0; t < local_tokens(shape); t++, row += row_bytes)
                wrong += visit(&p, first_batch + b, token + t, first, n, shape->head_dim, row);
        }
    return wrong;
}

static uint64_t visit_my_heads(struct op_stage *s, int x, visit_fn *visit) {
    return visit_heads(s, x, pattern_of(s, x), made_by(s, x, heads_group(s)->rank), ring_rank_of(s),
                       head_data(s, x), visit);
}

/* The rank's own tokens with all heads. */
static uint64_t visit_tokens(struct op_stage *s, int x, visit_fn *visit) {
    const struct sp_shape *shape = &s->params.shape;
    const struct pattern p = pattern_of(s, x);
    const size_t n = local_tokens(shape), first = (size_t)s->group->rank * n;
    const int heads = all_heads(s, x);
    char *row = token_result(s, x);
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (size_t t = 0; t < n; t++, row += (size_t)heads * head_bytes(s))
            wrong += visit(&p, b, first + t, 0, heads, shape->head_dim, row);
    return wrong;
}

void heads_fill(struct op_stage *s) {
    for (int x = 0; x < HEAD_TENSORS; x++) {
        struct buffer *tokens = &s->buffers[x];
        if (head_tensor_goes(s, x)) {
            visit_tokens(s, x, visit_fill);
            pattern_poison(head_data(s, x), heads_head_bytes(s, x));
            continue;
        }
        visit_my_heads(s, x, visit_fill);
        if (slots_of(s, x) > 1)
            memset(tokens->data, 0, tokens->bytes);
        else
            pattern_poison(tokens->data, tokens->bytes);
    }
}

void heads_sum_replicas(struct op_stage *s) {
    for (int x = 0; x < HEAD_TENSORS; x++) {
        const int slots = slots_of(s, x);
        if (slots == 1)
            continue;
        trace_begin(s->transport->trace, PHASE_ACCUMULATE);
        reduce_slots(token_result(s, x), s->buffers[x].data, slots, token_elements(s, x),
                     s->params.shape.elem_bytes);
        trace_end(s->transport->trace);
    }
}

uint64_t heads_wrong(struct op_stage *s) {
    uint64_t wrong = 0;
    for (int x = 0; x < HEAD_TENSORS; x++)
        if (head_tensor_goes(s, x))
            wrong += visit_my_heads(s, x, visit_check);
    return wrong;
}

/* Tokens whose gradients are sums over replicas: the contributions regenerated, added as
 * heads_sum_replicas() adds. */
static uint64_t sums_wrong(struct op_stage *s, int x) {
    const struct sp_shape *shape = &s->params.shape;
    const struct pattern p = pattern_of(s, x);
    const int slots = slots_of(s, x);
    const size_t row_bytes = (size_t)shape->kv_heads * head_bytes(s);
    const size_t row_elements = row_bytes / shape->elem_bytes;
    const size_t n = local_tokens(shape), first = (size_t)s->group->rank * n;
    char *want = malloc((size_t)slots * row_bytes);
    if (!want) {
        fail(ST_ENV, "out of memory for verification");
        return token_elements(s, x);
    }
    const char *row = token_result(s, x);
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (size_t t = 0; t < n; t++, row += row_bytes) {
            memset(want, 0, (size_t)slots * row_bytes);
            for (int q = 0; q < heads_group(s)->size; q++) {
                const struct head_share share = share_of(s, q);
                pattern_fill_heads(&p, made_by(s, x, q) + b, first + t, share.kv0, share.nkv,
                                   shape->head_dim,
                                   want + (size_t)kv_replica_slot(slots, q) * row_bytes +
                                       (size_t)share.kv0 * head_bytes(s));
            }
            reduce_slots(want, want, slots, row_elements, shape->elem_bytes);
            wrong += rows_differ(want, row, row_elements, shape->elem_bytes);
        }
    free(want);
    return wrong;
}

uint64_t heads_tokens_wrong(struct op_stage *s) {
    uint64_t wrong = 0;
    for (int x = 0; x < HEAD_TENSORS; x++)
        if (!head_tensor_goes(s, x))
            wrong += slots_of(s, x) > 1 ? sums_wrong(s, x) : visit_tokens(s, x, visit_check);
    return wrong;
}

static uint64_t visit_block(struct op_stage *s, bool grad, int ring_rank, char *data,
                            visit_fn *visit) {
    uint64_t wrong = 0;
    for (int x = HEAD_K; x <= HEAD_V; x++) {
        const struct pattern p = grad ? travelling(s, x) : pattern_of(s, x);
        wrong += visit_heads(s, x, p, 0, ring_rank, data, visit);
        data += heads_head_bytes(s, x) / s->params.shape.elem_bytes * p.elem_bytes;
    }
    return wrong;
}

void heads_block_fill(struct op_stage *s, bool grad, void *data) {
    visit_block(s, grad, ring_rank_of(s), data, visit_fill);
}

uint64_t heads_block_wrong(struct op_stage *s, bool grad, int ring_rank, const void *data) {
    return visit_block(s, grad, ring_rank, (char *)data, visit_check);
}
