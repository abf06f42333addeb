#include "comm/shape/shape.h"

struct head_share head_share(int heads, int kv_heads, int ulysses_size, int rank) {
    const int group = heads / kv_heads;
    struct head_share s;
    s.q0 = (int)((long)heads * rank / ulysses_size);
    s.nq = (int)((long)heads * (rank + 1) / ulysses_size) - s.q0;
    s.kv0 = s.q0 / group;
    s.nkv = s.nq > 0 ? (s.q0 + s.nq - 1) / group + 1 - s.kv0 : 0;
    return s;
}

int kv_replica_slots(int heads, int kv_heads, int ulysses_size) {
    int most = 1;
    for (int r = 0; r < ulysses_size; r++) {
        const int kv0 = head_share(heads, kv_heads, ulysses_size, r).kv0;
        int sharing = 1;
        for (int before = r - 1; before >= 0; before--) {
            const struct head_share b = head_share(heads, kv_heads, ulysses_size, before);
            if (b.kv0 + b.nkv <= kv0)
                break;
            sharing++;
        }
        if (sharing > most)
            most = sharing;
    }
    return most;
}

/* Shares are intervals whose ends both rise with the rank, so ranks that share a head are
 * neighbours, at most `slots` of them: counting round never meets one of them. */
int kv_replica_slot(int slots, int rank) {
    return rank % slots;
}

size_t local_tokens(const struct sp_shape *s) {
    return s->seq / (size_t)s->sp_size;
}

size_t local_q_bytes(const struct sp_shape *s) {
    return (size_t)s->batch * local_tokens(s) * (size_t)s->heads * (size_t)s->head_dim *
           s->elem_bytes;
}

size_t local_kv_bytes(const struct sp_shape *s) {
    return 2 * (size_t)s->batch * local_tokens(s) * (size_t)s->kv_heads * (size_t)s->head_dim *
           s->elem_bytes;
}

size_t group_tokens(const struct sp_shape *s) {
    return local_tokens(s) * (size_t)s->ulysses_size;
}

size_t share_kv_bytes(const struct sp_shape *s, int ulysses_rank) {
    const struct head_share share =
        head_share(s->heads, s->kv_heads, s->ulysses_size, ulysses_rank);
    return 2 * (size_t)s->batch * group_tokens(s) * (size_t)share.nkv * (size_t)s->head_dim *
           s->elem_bytes;
}
