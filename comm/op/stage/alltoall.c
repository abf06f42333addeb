/* alltoall: block q of rank p's send buffer becomes block p of rank q's. */
#include <stdio.h>

#include "comm/op/stage/raw.h"
#include "comm/shape/volume.h"

static size_t whole(const struct op_params *p) {
    return p->by_shape ? local_q_bytes(&p->shape) : p->bytes;
}

static size_t per_peer(const struct op_params *p, int ranks) {
    return whole_elements(whole(p) / (size_t)ranks, p->shape.elem_bytes);
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    if (per_peer(p, ranks) > 0)
        return true;
    snprintf(why, why_size, "%zu bytes are less than one %zu-byte element for each of %d ranks",
             whole(p), p->shape.elem_bytes, ranks);
    return false;
}

static size_t send_buffer(const struct op_params *p, int ranks) {
    return per_peer(p, ranks) * (size_t)ranks;
}

static size_t volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return volume_alltoall(per_peer(p, ranks), ranks);
}

static size_t memory(const struct op_params *p, int ranks, int rank, const struct staging *how) {
    (void)rank;
    (void)how; /* contiguous and in order: nothing is staged */
    return 2 * send_buffer(p, ranks);
}

static enum status create(struct op_stage *s) {
    const size_t bytes = send_buffer(&s->params, s->group->size);
    const enum status st = raw_create(s, bytes);
    if (st != ST_OK)
        return st;
    return alltoall_plan(s->transport, s->group, &s->buffers[SEND], &s->buffers[RECV],
                         per_peer(&s->params, s->group->size), &s->plans[0]);
}

static uint64_t verify(struct op_stage *s) {
    const struct pattern p = raw_pattern(s);
    const size_t bytes = per_peer(&s->params, s->group->size);
    const size_t n = bytes / p.elem_bytes;
    uint64_t wrong = 0;
    raw_fill(s);
    raw_run(s);
    for (int q = 0; q < s->group->size; q++)
        wrong += pattern_wrong(&p, q, (size_t)s->group->rank * n,
                               (const char *)s->buffers[RECV].data + (size_t)q * bytes, n);
    return wrong;
}

static const struct stage_ops stage_alltoall = {supports, send_buffer, per_peer, volume, memory,
                                                create,   raw_fill,    raw_run,  verify};

const struct op_row op_alltoall = {
    .name = "alltoall",
    .help = "equal blocks between all ranks",
    .forward = &stage_alltoall,
    .backward = &stage_alltoall,
};
