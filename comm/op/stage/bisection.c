/* bisection: rank i exchanges its whole buffer with rank (i + P/2) mod P, all at once and in both
 * directions, so that everything crosses the cut between the lower and the upper half of the ranks.
 *
 * The cut is by rank order. It bisects the network only as far as rank order follows it. */
#include <stdio.h>

#include "comm/op/stage/raw.h"

static size_t whole(const struct op_params *p) {
    return p->by_shape ? local_q_bytes(&p->shape) : whole_elements(p->bytes, p->shape.elem_bytes);
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    if (ranks % 2 != 0)
        snprintf(why, why_size,
                 "%d ranks do not fall into two equal halves; the number must be even", ranks);
    else if (whole(p) == 0)
        snprintf(why, why_size, "%zu bytes are less than one %zu-byte element", p->bytes,
                 p->shape.elem_bytes);
    else
        return true;
    return false;
}

static size_t buffer_bytes(const struct op_params *p, int ranks) {
    (void)ranks;
    return whole(p);
}

static size_t volume(const struct op_params *p, int ranks, int rank) {
    (void)ranks;
    (void)rank;
    return whole(p);
}

static size_t memory(const struct op_params *p, int ranks, int rank, const struct staging *how) {
    (void)ranks;
    (void)rank;
    (void)how; /* contiguous: nothing is staged */
    return 2 * whole(p);
}

static int partner(const struct op_stage *s) {
    return (s->group->rank + s->group->size / 2) % s->group->size;
}

static enum status create(struct op_stage *s) {
    const size_t bytes = whole(&s->params);
    const enum status st = raw_create(s, bytes);
    if (st != ST_OK)
        return st;
    const struct block send = {partner(s), &s->buffers[SEND], 0, 1, bytes, bytes};
    const struct block recv = {partner(s), &s->buffers[RECV], 0, 1, bytes, bytes};
    const struct plan_spec spec = {s->group, TRAFFIC_SP, &send, &recv, 1, 1};
    return plan_create(s->transport, &spec, &s->plans[0]);
}

static uint64_t verify(struct op_stage *s) {
    const struct pattern p = raw_pattern(s);
    raw_fill(s);
    raw_run(s);
    return pattern_wrong(&p, partner(s), 0, s->buffers[RECV].data,
                         s->buffers[RECV].bytes / p.elem_bytes);
}

static const struct stage_ops stage_bisection = {
    supports, buffer_bytes, buffer_bytes, volume, memory, create, raw_fill, raw_run, verify};

const struct op_row op_bisection = {
    .name = "bisection",
    .help = "every rank with the one P/2 further, both directions at once",
    .forward = &stage_bisection,
    .backward = &stage_bisection,
    .total_rate = "bisection_gb_s",
};
