/* ulysses: Q, K, V from tokens to heads and O back; backward dO to heads, dQ, dK, dV back, the
 * gradients of replicated K/V heads summed where the tokens live. Q, K and V (dQ, dK, dV) share an
 * all-to-all, or have one each, one after the other. */
#include "comm/op/stage/ulysses.h"

#include <stdio.h>

#include "comm/shape/staging.h"
#include "comm/shape/volume.h"

bool ulysses_supports(const struct op_params *p, int ulysses_size, char *why, size_t why_size) {
    const struct sp_shape *s = &p->shape;
    if (!p->by_shape)
        snprintf(why, why_size,
                 "it needs a model shape (--model or --heads, --kv-heads, --head-dim; --seq), "
                 "not --bytes");
    else if (s->heads < ulysses_size)
        snprintf(why, why_size,
                 "more ranks than heads: %d Ulysses ranks cannot share %d query heads; use at most "
                 "%d",
                 ulysses_size, s->heads, s->heads);
    else
        return true;
    return false;
}

static size_t head_bytes(const struct sp_shape *s) {
    return (size_t)s->head_dim * s->elem_bytes;
}

size_t ulysses_send_buffer(const struct op_params *p, bool backward) {
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

/* Packed copies of the plans, in the order of create_plans(). */
static size_t staging(const struct op_params *p, int u, const struct staging *how, bool backward) {
    const struct sp_shape *s = &p->shape;
    const int n_kv = p->separate_qkv ? 0 : 2;
    size_t bytes = staging_ulysses(s, u, staging_nth(how, 0), &how->hosts, 1, 0) +
                   staging_ulysses(s, u, staging_nth(how, 1), &how->hosts, 1, n_kv);
    for (int i = 2; p->separate_qkv && i <= 3; i++) {
        const struct staging_rule kv = staging_nth(how, i);
        bytes += staging_ulysses(s, u, backward ? kv : staging_kv_alone(s, kv), &how->hosts, 0, 1);
    }
    return bytes;
}

size_t ulysses_memory(const struct op_params *p, int ulysses_rank, const struct staging *how,
                      bool backward) {
    const struct sp_shape *s = &p->shape;
    const struct head_share mine = head_share(s->heads, s->kv_heads, s->ulysses_size, ulysses_rank);
    const int slots = kv_replica_slots(s->heads, s->kv_heads, s->ulysses_size);
    const size_t kv_copies = backward && slots > 1 ? (size_t)slots + 1 : 1;
    return 2 * local_q_bytes(s) + kv_copies * local_kv_bytes(s) +
           2 * (size_t)s->batch * group_tokens(s) * head_bytes(s) * (size_t)(mine.nq + mine.nkv) +
           staging(p, ulysses_rank, how, backward);
}

static enum status create_buffers(struct op_stage *s) {
    struct buffer_size sizes[HEAD_TENSORS + 3] = {
        [HEAD_SIDE_Q] = {HEAD_SIDE_Q, heads_head_bytes(s, HEAD_Q)},
        [HEAD_SIDE_OUT] = {HEAD_SIDE_OUT, heads_head_bytes(s, HEAD_OUT)},
        [HEAD_SIDE_KV] = {HEAD_SIDE_KV, heads_head_bytes(s, HEAD_K) + heads_head_bytes(s, HEAD_V)},
    };
    for (int x = 0; x < HEAD_TENSORS; x++)
        sizes[x] = (struct buffer_size){x, heads_token_bytes(s, x)};
    return stage_buffers(s, sizes, HEAD_TENSORS + 3);
}

/* Plan 0 is that of the output, the others those of Q, K and V: one, or one each. */
static enum status create_plans(struct op_stage *s) {
    struct ulysses_tensor qkv[] = {heads_sides(s, HEAD_Q), heads_sides(s, HEAD_K),
                                   heads_sides(s, HEAD_V)};
    const struct ulysses_tensor output = heads_sides(s, HEAD_OUT);
    const struct sp_shape *shape = &s->params.shape;
    const int n_plans = s->params.separate_qkv ? 3 : 1;
    struct group *group = heads_group(s);
    enum status st = (s->backward ? ulysses_to_heads_plan : ulysses_to_tokens_plan)(
        s->transport, group, shape, &output, 1, &s->plans[0]);
    for (int i = 0; i < n_plans && st == ST_OK; i++)
        st = (s->backward ? ulysses_to_tokens_plan : ulysses_to_heads_plan)(
            s->transport, group, shape, &qkv[i], 3 / n_plans, &s->plans[1 + i]);
    return st;
}

enum status ulysses_create(struct op_stage *s) {
    const enum status st = create_buffers(s);
    return st == ST_OK ? create_plans(s) : st;
}

static void run_output(struct op_stage *s) {
    plan_run(s->plans[0]);
}

static void run_qkv(struct op_stage *s) {
    for (int i = 1; i < ULYSSES_PLANS && s->plans[i]; i++)
        plan_run(s->plans[i]);
}

void ulysses_to_heads(struct op_stage *s) {
    (s->backward ? run_output : run_qkv)(s);
}

void ulysses_to_tokens(struct op_stage *s) {
    (s->backward ? run_qkv : run_output)(s);
    heads_sum_replicas(s);
}

static void run(struct op_stage *s) {
    ulysses_to_heads(s);
    ulysses_to_tokens(s);
}

static uint64_t verify(struct op_stage *s) {
    heads_fill(s);
    run(s);
    return heads_wrong(s) + heads_tokens_wrong(s);
}

static size_t forward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    return ulysses_send_buffer(p, false);
}

static size_t backward_send_buffer(const struct op_params *p, int ranks) {
    (void)ranks;
    return ulysses_send_buffer(p, true);
}

static size_t forward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_ulysses_forward(&p->shape, rank);
}

static size_t backward_volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    return volume_ulysses_backward(&p->shape, rank);
}

static size_t forward_memory(const struct op_params *p, int ranks, int rank,
                             const struct staging *how) {
    (void)ranks;
    return ulysses_memory(p, rank, how, false);
}

static size_t backward_memory(const struct op_params *p, int ranks, int rank,
                              const struct staging *how) {
    (void)ranks;
    return ulysses_memory(p, rank, how, true);
}

static const struct stage_ops stage_forward = {
    ulysses_supports, forward_send_buffer, NULL, forward_volume, forward_memory,
    ulysses_create,   heads_fill,          run,  verify};
static const struct stage_ops stage_backward = {
    ulysses_supports, backward_send_buffer, NULL, backward_volume, backward_memory,
    ulysses_create,   heads_fill,           run,  verify};

static void split(struct sp_shape *s) {
    s->ulysses_size = s->sp_size;
    s->ring_size = 1;
}

const struct op_row op_ulysses = {
    .name = "ulysses",
    .help = "Q, K, V to heads and O back; backward dO and dQ, dK, dV",
    .forward = &stage_forward,
    .backward = &stage_backward,
    .options = (const char *const[]){"fuse_qkv", NULL},
    .split = split,
};
