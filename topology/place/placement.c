#include "topology/place/placement.h"

#include <stdio.h>

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

/* The farthest link inside the Ulysses groups of the shape, which divide its SP groups
 * (comm/ranks/usp.h); LINK_CLASSES where they have one rank. */
static enum link_class ulysses_link(const struct place *places,
                                    const struct placement_shape *shape) {
    struct link_span span = {LINK_CLASSES, LINK_CLASSES};
    const int u = shape->ulysses_size, rings = shape->sp_size / u;
    for (int dp = 0; dp < shape->dp_shard_size; dp++)
        for (int ring = 0; ring < rings; ring++) {
            struct group g = sp_group(shape, dp);
            g.first += ring * (shape->ring_inner ? 1 : u) * g.stride;
            g.stride *= shape->ring_inner ? rings : 1;
            g.n = u;
            widen(places, &g, &span);
        }
    return span.worst;
}

/* What ranks on one core count as: they take turns on it, and are no nearer to each other than
 * those on neighbouring cores, which is the nearest link between ranks that share none. A NUMA node
 * they have in common in any case. */
static enum link_class core_counts_as(const struct place *places, int n) {
    enum link_class nearest = LINK_SAME_NUMA;
    for (int i = 0; i < n && nearest > LINK_SHARED_L2; i++)
        for (int j = 0; j < i; j++) {
            const enum link_class class = place_link(&places[i], &places[j]);
            if (class > LINK_SAME_CORE && class < nearest)
                nearest = class;
        }
    return nearest;
}

static bool is_nearer(const struct place *places, const struct placement_shape *shape,
                      const struct placement_advice *a) {
    if (a->to >= a->from)
        return false;
    return a->to != LINK_SAME_CORE ||
           core_counts_as(places, shape->sp_size * shape->dp_shard_size) < a->from;
}

/* "(shared-l3 at worst)" */
static const char *worst_text(enum link_class to, char text[48]) {
    snprintf(text, 48, "(%s at worst)", link_class_name(to));
    return to == LINK_SAME_CORE ? "(its ranks share a core there)" : text;
}

/* The largest Ulysses groups, not above the shape's, that meet nearer than these do. */
static bool nearer_groups(const struct place *places, const struct placement_shape *shape,
                          struct placement_advice *out) {
    for (int u = shape->ulysses_size; u > 1; u--) {
        if (shape->sp_size % u != 0)
            continue;
        out->better = *shape;
        out->better.ulysses_size = u;
        for (int inner = 0; inner < 2; inner++) {
            out->better.ring_inner = inner == 1;
            out->to = ulysses_link(places, &out->better);
            if (is_nearer(places, shape, out))
                return true;
        }
    }
    return false;
}

static bool other_placement(const struct place *places, const struct placement_shape *shape,
                            struct placement_advice *out) {
    const char *unit;
    const int count = placement_straddles(places, shape, &unit);
    out->from = placement_sp_links(places, shape).worst;
    out->better = *shape;
    out->better.sp_outer = !shape->sp_outer;
    out->to = placement_sp_links(places, &out->better).worst;
    if (out->from == LINK_CLASSES || !is_nearer(places, shape, out))
        return false;
    char worst[48];
    snprintf(out->text, sizeof out->text,
             "sp=%d straddles %d %ss (%s); --placement %s keeps it inside one %s", shape->sp_size,
             count, unit, link_class_name(out->from),
             out->better.sp_outer ? "sp-outer" : "sp-inner", worst_text(out->to, worst));
    return true;
}

bool placement_advise(const struct place *places, const struct placement_shape *shape,
                      struct placement_advice *out) {
    const char *unit;
    *out = (struct placement_advice){.text = ""};
    if (other_placement(places, shape, out))
        return true;
    if (shape->ulysses_size < 2)
        return false;
    out->from = ulysses_link(places, shape);
    if (out->from < LINK_SAME_PACKAGE || !nearer_groups(places, shape, out))
        return false;
    const int count = placement_straddles(places, shape, &unit);
    char groups[40] = "", worst[48];
    if (shape->ulysses_size < shape->sp_size)
        snprintf(groups, sizeof groups, ", also in Ulysses groups of %d", shape->ulysses_size);
    snprintf(
        out->text, sizeof out->text,
        "sp=%d straddles %d %ss (%s)%s, and no placement avoids it; usp with --ulysses-size %d "
        "--inner %s keeps its all-to-all inside one %s, and only the ring crosses",
        shape->sp_size, count, unit, link_class_name(out->from), groups, out->better.ulysses_size,
        out->better.ring_inner ? "ring" : "ulysses", worst_text(out->to, worst));
    return true;
}
