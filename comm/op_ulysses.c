/* ulysses: Q, K, V from tokens to heads and O back; backward dO to heads, dQ, dK, dV back, the
 * gradients of replicated K/V heads summed where the tokens live. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/op.h"
#include "comm/pattern.h"
#include "comm/reduce.h"
#include "comm/staging.h"
#include "comm/volume.h"

/* One tensor of the exchange: who is generated, which kind of heads. */
struct tensor {
    enum tensor_id id;
    bool kv;
    bool to_heads; /* else back to tokens */
};

enum { TENSORS = 4 };

static const struct tensor forward_tensors[TENSORS] = {{TENSOR_Q, false, true},
                                                       {TENSOR_K, true, true},
                                                       {TENSOR_V, true, true},
                                                       {TENSOR_DO, false, false}};
static const struct tensor backward_tensors[TENSORS] = {{TENSOR_Q, false, false},
                                                        {TENSOR_K, true, false},
                                                        {TENSOR_V, true, false},
                                                        {TENSOR_DO, false, true}};

static const struct tensor *tensors_of(const struct op_stage *s) {
    return s->ops == &stage_ulysses_forward ? forward_tensors : backward_tensors;
}

/* Tensor x has its token side in buffer 2x and its head side in buffer 2x + 1. */
static struct buffer *token_buffer(struct op_stage *s, int x) {
    return &s->buffers[(ptrdiff_t)2 * x];
}

static struct buffer *head_buffer(struct op_stage *s, int x) {
    return &s->buffers[(ptrdiff_t)2 * x + 1];
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    const struct sp_shape *s = &p->shape;
    if (!p->by_shape)
        snprintf(why, why_size,
                 "it needs a model shape (--model or --heads, --kv-heads, --head-dim; --seq), "
                 "not --bytes");
    else if (s->heads % ranks != 0)
        snprintf(why, why_size,
                 "%d heads do not divide over %d Ulysses ranks; use a rank count that divides %d",
                 s->heads, ranks, s->heads);
    else
        return true;
    return false;
}

static size_t head_bytes(const struct sp_shape *s) {
    return (size_t)s->head_dim * s->elem_bytes;
}

/* The largest send buffer of any rank: what it sends of Q, K and V (replicas counted as often as
 * they are sent) and its O, or its dO and its share of dQ, dK and dV. */
static size_t send_buffer(const struct op_params *p, bool backward) {
    const struct sp_shape *s = &p->shape;
    size_t needed = 0, most = 0;
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share share = head_share(s->heads, s->kv_heads, s->ulysses_size, q);
        needed += (size_t)(share.nq + 2 * share.nkv);
    }
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share share = head_share(s->heads, s->kv_heads, s->ulysses_size, q);
        const size_t per_token = backward ? (size_t)s->heads + (size_t)(share.nq + 2 * share.nkv) *
                                                                   (size_t)s->ulysses_size
                                          : needed + (size_t)share.nq * (size_t)s->ulysses_size;
        if (per_token > most)
            most = per_token;
    }
    return (size_t)s->batch * local_tokens(s) * head_bytes(s) * most;
}

static size_t forward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    return send_buffer(p, false);
}

static size_t backward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    return send_buffer(p, true);
}

static size_t no_per_peer(const struct op_params *p, int ranks) {
    (void)p;
    (void)ranks;
    return 0;
}

static size_t forward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_ulysses_forward(&p->shape, rank);
}

static size_t backward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_ulysses_backward(&p->shape, rank);
}

/* Both sides of the four tensors, the slots of replicas' gradients with their sum, and packed
 * copies. */
static size_t memory(const struct op_params *p, int rank, const char *algorithm, bool backward) {
    const struct sp_shape *s = &p->shape;
    const struct head_share mine = head_share(s->heads, s->kv_heads, s->ulysses_size, rank);
    const size_t all_tokens = (size_t)s->batch * s->seq * head_bytes(s);
    const int slots = kv_replica_slots(s->heads, s->kv_heads, s->ulysses_size);
    const size_t kv_copies = backward && slots > 1 ? (size_t)slots + 1 : 1;
    return 2 * local_q_bytes(s) + kv_copies * local_kv_bytes(s) +
           2 * all_tokens * (size_t)(mine.nq + mine.nkv) +
           staging_ulysses(s, rank, algorithm, 1, 2) + staging_ulysses(s, rank, algorithm, 1, 0);
}

static size_t forward_memory(const struct op_params *p, int ranks, int rank,
                             const char *algorithm) {
    (void)ranks;
    return memory(p, rank, algorithm, false);
}

static size_t backward_memory(const struct op_params *p, int ranks, int rank,
                              const char *algorithm) {
    (void)ranks;
    return memory(p, rank, algorithm, true);
}

static struct head_share my_share(const struct op_stage *s) {
    const struct sp_shape *shape = &s->params.shape;
    return head_share(shape->heads, shape->kv_heads, s->group->size, s->group->rank);
}

/* Copies of a tensor on the token side: gradients of replicas arrive apart, in one slot each. */
static int slots_of(const struct op_stage *s, const struct tensor *x) {
    const struct sp_shape *shape = &s->params.shape;
    return x->kv && !x->to_heads ? kv_replica_slots(shape->heads, shape->kv_heads, s->group->size)
                                 : 1;
}

static size_t token_elements(const struct op_stage *s, const struct tensor *x) {
    const struct sp_shape *shape = &s->params.shape;
    const int heads = x->kv ? shape->kv_heads : shape->heads;
    return (size_t)shape->batch * local_tokens(shape) * (size_t)heads * (size_t)shape->head_dim;
}

/* Where slots are to be summed, the sum stands behind them: a slot that no rank writes must stay
 * zero. */
static char *token_result(struct op_stage *s, int i) {
    const struct tensor *x = &tensors_of(s)[i];
    const int slots = slots_of(s, x);
    const size_t bytes = token_elements(s, x) * s->params.shape.elem_bytes;
    return (char *)token_buffer(s, i)->data + (slots > 1 ? (size_t)slots * bytes : 0);
}

static enum status create(struct op_stage *s) {
    const struct sp_shape *shape = &s->params.shape;
    const struct head_share mine = my_share(s);
    const struct tensor *tensors = tensors_of(s);
    struct ulysses_tensor to_heads[TENSORS], to_tokens[TENSORS];
    int n_to_heads = 0, n_to_tokens = 0;
    for (int i = 0; i < TENSORS; i++) {
        const struct tensor *x = &tensors[i];
        const int slots = slots_of(s, x);
        const size_t token_bytes =
            (size_t)(slots > 1 ? slots + 1 : 1) * token_elements(s, x) * shape->elem_bytes;
        const size_t tokens = (size_t)shape->batch * shape->seq;
        enum status st = stage_buffer(s, 2 * i, token_bytes);
        if (st == ST_OK)
            st = stage_buffer(s, 2 * i + 1,
                              tokens * (size_t)(x->kv ? mine.nkv : mine.nq) * head_bytes(shape));
        if (st != ST_OK)
            return st;
        const struct ulysses_tensor t = {token_buffer(s, i), 0, head_buffer(s, i), 0, x->kv};
        if (x->to_heads)
            to_heads[n_to_heads++] = t;
        else
            to_tokens[n_to_tokens++] = t;
    }
    enum status st =
        ulysses_to_heads_plan(s->transport, s->group, shape, to_heads, n_to_heads, &s->plans[0]);
    if (st == ST_OK)
        st = ulysses_to_tokens_plan(s->transport, s->group, shape, to_tokens, n_to_tokens,
                                    &s->plans[1]);
    return st;
}

/* A position on either side, as the generator names it. Gradients of replicas differ by
 * contributor: the batch index carries who made them (0 for everything that only one rank makes).
 */
static int made_by(const struct op_stage *s, const struct tensor *x, int rank, int batch) {
    return batch + (slots_of(s, x) > 1 ? rank * s->params.shape.batch : 0);
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

static struct pattern pattern_of(const struct op_stage *s, const struct tensor *x) {
    return (struct pattern){s->params.seed, x->id, s->params.shape.elem_bytes};
}

/* All tokens of the rank's own heads. */
static uint64_t visit_heads(struct op_stage *s, int i, visit_fn *visit) {
    const struct sp_shape *shape = &s->params.shape;
    const struct tensor *x = &tensors_of(s)[i];
    const struct pattern p = pattern_of(s, x);
    const struct head_share mine = my_share(s);
    const int first = x->kv ? mine.kv0 : mine.q0, n = x->kv ? mine.nkv : mine.nq;
    char *row = head_buffer(s, i)->data;
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (size_t t = 0; t < shape->seq; t++, row += (size_t)n * head_bytes(shape))
            wrong += visit(&p, made_by(s, x, s->group->rank, b), t, first, n, shape->head_dim, row);
    return wrong;
}

/* The rank's own tokens with all heads. */
static uint64_t visit_tokens(struct op_stage *s, int i, visit_fn *visit) {
    const struct sp_shape *shape = &s->params.shape;
    const struct tensor *x = &tensors_of(s)[i];
    const struct pattern p = pattern_of(s, x);
    const size_t n = local_tokens(shape), first = (size_t)s->group->rank * n;
    const int heads = x->kv ? shape->kv_heads : shape->heads;
    char *row = token_result(s, i);
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (size_t t = 0; t < n; t++, row += (size_t)heads * head_bytes(shape))
            wrong += visit(&p, b, first + t, 0, heads, shape->head_dim, row);
    return wrong;
}

static void fill(struct op_stage *s) {
    for (int i = 0; i < TENSORS; i++) {
        const struct tensor *x = &tensors_of(s)[i];
        struct buffer *tokens = token_buffer(s, i), *heads = head_buffer(s, i);
        if (x->to_heads) {
            visit_tokens(s, i, visit_fill);
            pattern_poison(heads->data, heads->bytes);
            continue;
        }
        visit_heads(s, i, visit_fill);
        if (slots_of(s, x) > 1)
            memset(tokens->data, 0, tokens->bytes);
        else
            pattern_poison(tokens->data, tokens->bytes);
    }
}

static void sum_replicas(struct op_stage *s) {
    for (int i = 0; i < TENSORS; i++) {
        const struct tensor *x = &tensors_of(s)[i];
        const int slots = slots_of(s, x);
        if (slots == 1)
            continue;
        trace_begin(s->transport->trace, PHASE_ACCUMULATE);
        reduce_slots(token_result(s, i), token_buffer(s, i)->data, slots, token_elements(s, x),
                     s->params.shape.elem_bytes);
        trace_end(s->transport->trace);
    }
}

static void run(struct op_stage *s) {
    plan_run(s->plans[0]);
    plan_run(s->plans[1]);
    sum_replicas(s);
}

/* Tokens whose gradients are sums over replicas: the contributions regenerated, added as run()
 * adds. */
static uint64_t sums_wrong(struct op_stage *s, int i) {
    const struct sp_shape *shape = &s->params.shape;
    const struct tensor *x = &tensors_of(s)[i];
    const struct pattern p = pattern_of(s, x);
    const int slots = slots_of(s, x), ranks = s->group->size;
    const size_t row_bytes = (size_t)shape->kv_heads * head_bytes(shape);
    const size_t row_elements = row_bytes / shape->elem_bytes;
    const size_t n = local_tokens(shape), first = (size_t)s->group->rank * n;
    char *want = malloc((size_t)slots * row_bytes);
    if (!want) {
        fail(ST_ENV, "out of memory for verification");
        return token_elements(s, x);
    }
    const char *row = token_result(s, i);
    uint64_t wrong = 0;
    for (int b = 0; b < shape->batch; b++)
        for (size_t t = 0; t < n; t++, row += row_bytes) {
            memset(want, 0, (size_t)slots * row_bytes);
            for (int q = 0; q < ranks; q++) {
                const struct head_share share = head_share(shape->heads, shape->kv_heads, ranks, q);
                pattern_fill_heads(&p, made_by(s, x, q, b), first + t, share.kv0, share.nkv,
                                   shape->head_dim,
                                   want + (size_t)kv_replica_slot(slots, q) * row_bytes +
                                       (size_t)share.kv0 * head_bytes(shape));
            }
            reduce_slots(want, want, slots, row_elements, shape->elem_bytes);
            wrong += rows_differ(want, row, row_elements, shape->elem_bytes);
        }
    free(want);
    return wrong;
}

static uint64_t verify(struct op_stage *s) {
    uint64_t wrong = 0;
    fill(s);
    run(s);
    for (int i = 0; i < TENSORS; i++) {
        const struct tensor *x = &tensors_of(s)[i];
        if (x->to_heads)
            wrong += visit_heads(s, i, visit_check);
        else if (slots_of(s, x) > 1)
            wrong += sums_wrong(s, i);
        else
            wrong += visit_tokens(s, i, visit_check);
    }
    return wrong;
}

const struct stage_ops stage_ulysses_forward = {
    supports, forward_send_buffer, no_per_peer, forward_volume, forward_memory, create, fill, run,
    verify};
const struct stage_ops stage_ulysses_backward = {supports,
                                                 backward_send_buffer,
                                                 no_per_peer,
                                                 backward_volume,
                                                 backward_memory,
                                                 create,
                                                 fill,
                                                 run,
                                                 verify};
