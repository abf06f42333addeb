#include "comm/shape/volume.h"

size_t volume_alltoall(size_t bytes_per_peer, int ranks) {
    return bytes_per_peer * (size_t)(ranks - 1);
}

size_t volume_allgather(size_t shard_bytes, int ranks) {
    return shard_bytes * (size_t)(ranks - 1);
}

size_t volume_reduce_scatter(size_t shard_bytes, int ranks) {
    return shard_bytes * (size_t)(ranks - 1);
}

/* What rank p sends, b D e [sum over q != p of n (hq_q + 2 hkv_q) + n hq_p]: from its own tokens
 * the heads that the others need, and from its own heads the others' tokens. Backward is the mirror
 * image. */
static size_t ulysses_volume(const struct sp_shape *s, int p, bool backward) {
    const int u = s->ulysses_size;
    size_t needed_by_others = 0, heads_of_others = 0;
    for (int q = 0; q < u; q++) {
        const struct head_share share = head_share(s->heads, s->kv_heads, u, q);
        if (q == p)
            continue;
        needed_by_others += (size_t)(share.nq + 2 * share.nkv);
        heads_of_others += (size_t)share.nq;
    }
    const struct head_share mine = head_share(s->heads, s->kv_heads, u, p);
    const size_t others = (size_t)(u - 1);
    const size_t heads = backward ? heads_of_others + (size_t)(mine.nq + 2 * mine.nkv) * others
                                  : needed_by_others + (size_t)mine.nq * others;
    return (size_t)s->batch * local_tokens(s) * (size_t)s->head_dim * s->elem_bytes * heads;
}

size_t volume_ulysses_forward(const struct sp_shape *s, int ulysses_rank) {
    return ulysses_volume(s, ulysses_rank, false);
}

size_t volume_ulysses_backward(const struct sp_shape *s, int ulysses_rank) {
    return ulysses_volume(s, ulysses_rank, true);
}

/* A block of K/V and, backward, its gradients beside it. */
static size_t with_gradients(const struct sp_shape *s, size_t kv) {
    return kv + kv / s->elem_bytes * s->grad_bytes;
}

size_t volume_usp_forward(const struct sp_shape *s, int ulysses_rank) {
    return volume_ulysses_forward(s, ulysses_rank) +
           (size_t)(s->ring_size - 1) * share_kv_bytes(s, ulysses_rank);
}

size_t volume_usp_backward(const struct sp_shape *s, int ulysses_rank) {
    return volume_ulysses_backward(s, ulysses_rank) +
           (size_t)(s->ring_size - 1) * with_gradients(s, share_kv_bytes(s, ulysses_rank));
}

size_t volume_kv_gather_forward(const struct sp_shape *s) {
    return (size_t)(s->sp_size - 1) * local_kv_bytes(s);
}

size_t volume_kv_gather_backward(const struct sp_shape *s) {
    return (size_t)(s->sp_size - 1) * with_gradients(s, local_kv_bytes(s));
}
