#include "bench/links/advice.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text/units.h"
#include "bench/links/interconnect.h"
#include "comm/shape/volume.h"

/* World rank of a place in the grid. */
static int world_rank(const struct placement_shape *p, int dp, int ring, int ulysses) {
    const int rings = p->sp_size / p->ulysses_size;
    const int sp = usp_rank(p->ring_inner ? USP_INNER_RING : USP_INNER_ULYSSES, p->ulysses_size,
                            rings, ulysses, ring);
    return grid_rank(p->sp_outer ? SP_OUTER : SP_INNER, p->sp_size, p->dp_shard_size, sp, dp);
}

/* What a rank sends to all others of its Ulysses group, and round its ring. */
static void volumes(const struct advice_case *c, const struct sp_shape *s, int rank, double *heads,
                    double *ring) {
    *heads = *ring = 0;
    if (c->forward) {
        *heads += (double)volume_ulysses_forward(s, rank);
        *ring += (double)volume_usp_forward(s, rank);
    }
    if (c->backward) {
        *heads += (double)volume_ulysses_backward(s, rank);
        *ring += (double)volume_usp_backward(s, rank);
    }
    *ring -= *heads;
}

double advice_crossing(const struct place *places, const struct placement_shape *p,
                       const struct advice_case *c, enum link_class from) {
    const int u = p->ulysses_size, rings = p->sp_size / u;
    struct sp_shape s = c->shape;
    double sum = 0;
    s.ulysses_size = u;
    s.ring_size = rings;
    for (int dp = 0; dp < p->dp_shard_size; dp++)
        for (int ring = 0; ring < rings; ring++)
            for (int a = 0; a < u; a++) {
                double heads, round;
                const struct place *mine = &places[world_rank(p, dp, ring, a)];
                const struct place *next = &places[world_rank(p, dp, (ring + 1) % rings, a)];
                volumes(c, &s, a, &heads, &round);
                if (rings > 1 && place_link(mine, next) >= from)
                    sum += round;
                for (int b = 0; b < u; b++)
                    if (b != a && place_link(mine, &places[world_rank(p, dp, ring, b)]) >= from)
                        sum += heads / (u - 1);
            }
    return sum / (p->sp_size * p->dp_shard_size);
}

static bool same(const struct placement_shape *a, const struct placement_shape *b) {
    return a->sp_size == b->sp_size && a->dp_shard_size == b->dp_shard_size &&
           a->sp_outer == b->sp_outer && a->ulysses_size == b->ulysses_size &&
           a->ring_inner == b->ring_inner;
}

/* Has this launch said it already? Then, or where it cannot be noted, it is not said. */
static bool is_new(struct session *s, const struct placement_shape *p) {
    for (int i = 0; i < s->n_advised; i++)
        if (same(&s->advised[i], p))
            return false;
    struct placement_shape *more = realloc(s->advised, (size_t)(s->n_advised + 1) * sizeof *more);
    if (!more)
        return false;
    s->advised = more;
    s->advised[s->n_advised++] = *p;
    return true;
}

void advice_note(struct session *s, const struct advice_case *c) {
    const struct run *run = s->run;
    struct placement_advice advice;
    struct placement_shape shape = placement_of(c->grid);
    shape.ulysses_size = c->ulysses ? c->shape.ulysses_size : 0;
    shape.ring_inner = c->inner == USP_INNER_RING && shape.ulysses_size < shape.sp_size;
    if (run->world->rank != 0 || shape.sp_size < 2 ||
        !placement_advise(run->places, &shape, &advice))
        return;
    char bytes[96] = "";
    if (advice.better.sp_outer == shape.sp_outer) { /* about Ulysses groups: is it worth it? */
        const double now = advice_crossing(run->places, &shape, c, advice.from);
        const double then = advice_crossing(run->places, &advice.better, c, advice.from);
        if (then >= now)
            return;
        snprintf(bytes, sizeof bytes, ": %s a rank instead of %s", format_bytes(then).s,
                 format_bytes(now).s);
    }
    if (is_new(s, &shape))
        note("%s: %s%s", c->name, advice.text, bytes);
}
