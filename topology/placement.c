#include "topology/placement.h"

#include <stdint.h>
#include <stdlib.h>

/* Ranks first, first + stride, ...: n of them. */
struct group {
    int first, stride, n;
};

static struct group sp_group(const struct placement_shape *s, int dp) {
    return s->sp_outer ? (struct group){dp, s->dp_shard_size, s->sp_size}
                       : (struct group){dp * s->sp_size, 1, s->sp_size};
}

static struct group dp_group(const struct placement_shape *s, int sp) {
    return s->sp_outer ? (struct group){sp * s->dp_shard_size, 1, s->dp_shard_size}
                       : (struct group){sp, s->sp_size, s->dp_shard_size};
}

static const struct place *member(const struct place *places, const struct group *g, int i) {
    return &places[g->first + i * g->stride];
}

static void widen(const struct place *places, const struct group *g, struct link_span *span) {
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < i; j++) {
            const enum link_class class = place_link(member(places, g, i), member(places, g, j));
            if (span->worst == LINK_CLASSES || class > span->worst)
                span->worst = class;
            if (span->best == LINK_CLASSES || class < span->best)
                span->best = class;
        }
}

struct link_span placement_sp_links(const struct place *places,
                                    const struct placement_shape *shape) {
    struct link_span span = {LINK_CLASSES, LINK_CLASSES};
    for (int dp = 0; dp < shape->dp_shard_size; dp++) {
        const struct group g = sp_group(shape, dp);
        widen(places, &g, &span);
    }
    return span;
}

struct link_span placement_dp_links(const struct place *places,
                                    const struct placement_shape *shape) {
    struct link_span span = {LINK_CLASSES, LINK_CLASSES};
    for (int sp = 0; sp < shape->sp_size; sp++) {
        const struct group g = dp_group(shape, sp);
        widen(places, &g, &span);
    }
    return span;
}

/* What two ranks of a class do not share, and what number tells those apart (host: the key). */
static const struct unit {
    const char *name;
    int level; /* of struct place, -1: the host */
} units[LINK_CLASSES] = {
    [LINK_SAME_CORE] = {"core", PLACE_CORE},
    [LINK_SHARED_L2] = {"core", PLACE_CORE},
    [LINK_SHARED_L3] = {"L2 cache", PLACE_L2},
    [LINK_SAME_NUMA] = {"L3 cache", PLACE_L3},
    [LINK_SAME_PACKAGE] = {"NUMA node", PLACE_NUMA},
    [LINK_CROSS_PACKAGE] = {"package", PLACE_PACKAGE},
    [LINK_NETWORK] = {"host", -1},
};

static bool same_unit(const struct place *a, const struct place *b, int level) {
    return a->host_key == b->host_key &&
           (level < 0 || (a->within[level] >= 0 && a->within[level] == b->within[level]));
}

int placement_straddles(const struct place *places, const struct placement_shape *shape,
                        const char **unit) {
    const struct link_span span = placement_sp_links(places, shape);
    const struct unit *what = &units[span.worst < LINK_CLASSES ? span.worst : LINK_SAME_CORE];
    int most = 1;
    *unit = what->name;
    for (int dp = 0; dp < shape->dp_shard_size && span.worst > LINK_SAME_CORE; dp++) {
        const struct group g = sp_group(shape, dp);
        int distinct = 0;
        for (int i = 0; i < g.n; i++) {
            bool seen = false;
            for (int j = 0; j < i && !seen; j++)
                seen = same_unit(member(places, &g, i), member(places, &g, j), what->level);
            distinct += !seen;
        }
        most = distinct > most ? distinct : most;
    }
    return most;
}

/* The worst link between neighbours u by u inside SP groups. */
static enum link_class worst_of_blocks(const struct place *places,
                                       const struct placement_shape *shape, int u) {
    struct link_span span = {LINK_CLASSES, LINK_CLASSES};
    for (int dp = 0; dp < shape->dp_shard_size; dp++)
        for (int block = 0; block < shape->sp_size / u; block++) {
            struct group g = sp_group(shape, dp);
            g.first += block * u * g.stride;
            g.n = u;
            widen(places, &g, &span);
        }
    return span.worst;
}

/* The largest Ulysses groups that meet nearer than their SP group; 1 if there are none. */
static int nearer_blocks(const struct place *places, const struct placement_shape *shape,
                         enum link_class worst) {
    for (int u = shape->sp_size / 2; u > 1; u--)
        if (shape->sp_size % u == 0 && worst_of_blocks(places, shape, u) < worst)
            return u;
    return 1;
}

bool placement_advice(const struct place *places, const struct placement_shape *shape, char *text,
                      size_t n) {
    const struct link_span mine = placement_sp_links(places, shape);
    struct placement_shape other = *shape;
    other.sp_outer = !shape->sp_outer;
    text[0] = '\0';
    if (mine.worst == LINK_CLASSES)
        return false;
    const char *unit;
    const int count = placement_straddles(places, shape, &unit);
    const enum link_class elsewhere = placement_sp_links(places, &other).worst;
    if (elsewhere < mine.worst) {
        snprintf(text, n,
                 "sp=%d straddles %d %ss (%s); --placement %s keeps it inside one (%s at worst)",
                 shape->sp_size, count, unit, link_class_name(mine.worst),
                 other.sp_outer ? "sp-outer" : "sp-inner", link_class_name(elsewhere));
        return true;
    }
    const int u = nearer_blocks(places, shape, mine.worst);
    if (u == 1 || mine.worst < LINK_SAME_PACKAGE)
        return false;
    snprintf(text, n,
             "sp=%d straddles %d %ss (%s), and no placement avoids it; --method usp --ulysses-size "
             "%d keeps its all-to-all inside one (%s at worst), and only the ring crosses",
             shape->sp_size, count, unit, link_class_name(mine.worst), u,
             link_class_name(worst_of_blocks(places, shape, u)));
    return true;
}
