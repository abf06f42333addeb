#include "bench/measure/pair_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pair_count(int ranks) {
    return (size_t)ranks * (size_t)(ranks - 1) / 2;
}

size_t pair_index(int ranks, int a, int b) {
    return (size_t)a * (size_t)(2 * ranks - a - 1) / 2 + (size_t)(b - a - 1);
}

/* One rank's part. A point is one size, in one mode and direction, of the rank's pair. */
struct timing {
    struct pairs *pairs;
    const struct group *world;
    struct trace *trace;
    const struct measure_config *config;
    const struct pair_scope *scope;
    int round;
    double start, point_start; /* of everything, and of this point */
    double point_s;            /* what a point may take */
    double fastest_s;          /* message of this point, 0: none yet */
    double *samples;           /* [max_samples] of the point */
    size_t n;
    struct pair_result result; /* of the round */
    bool converged;
    /* Of the slowest pair that this rank leads. */
    double *slowest; /* [max_samples] */
    size_t n_slowest;
    double slowest_s; /* median; 0: leads none */
};

struct batch {
    double own_s;     /* time of one message of this pair */
    double spent_s;   /* since the point began, at most */
    double slowest_s; /* of all pairs that measure now: its fastest message so far */
    bool certain;     /* all medians were, before this batch */
};

/* Times count exchanges. What the pair agrees on: of a ping-pong the leader's clock counts, since
 * it sees whole ones; of messages in both directions the later end. */
static void time_batch(struct timing *t, enum pair_direction direction, int size, size_t count,
                       struct batch *b) {
    const struct pairs *p = t->pairs;
    pairs_run(t->pairs, PAIR_ONE, 0, 1);
    const double start = clock_s();
    pairs_run(t->pairs, direction, size, count);
    const double end = clock_s();
    const bool counts = direction == PAIR_BOTH || pairs_leads(p);
    const double mine[] = {counts ? end - start : 0, end - t->point_start, !b->certain};
    double theirs[3];
    group_swap(t->world, p->peer, mine, theirs, sizeof mine);
    b->own_s = fmax(mine[0], theirs[0]) / (double)count / (direction == PAIR_ONE ? 2 : 1);
    b->spent_s = fmax(mine[1], theirs[1]);
    b->certain = b->certain && theirs[2] == 0;
}

static bool certain(const struct timing *t) {
    enum { EVERY = 5 }; /* summarising costs more than a short sample */
    struct summary s;
    if (t->n < t->config->min_samples || (t->n - t->config->min_samples) % EVERY != 0)
        return false;
    return stats_summarise(t->samples, t->n, &s) == ST_OK &&
           stats_ci_halfwidth_rel(&s) <= t->config->rel_ci;
}

/* Whether this rank's pair is measured in the round, not only met. */
static bool takes_part(const struct timing *t) {
    const int a = t->world->rank, b = t->pairs->peer;
    return b >= 0 && (!t->scope->loaded ||
                      t->scope->loaded[pair_index(t->world->size, a < b ? a : b, a < b ? b : a)]);
}

/* Runs one batch of count exchanges; in company with all other pairs, whose ranks come to the same
 * result. */
static struct batch run_batch(struct timing *t, enum pair_mode mode, enum pair_direction direction,
                              int size, size_t count) {
    const bool plays = takes_part(t);
    struct batch b = {.certain = !plays || certain(t)};
    if (t->scope->prepare)
        t->scope->prepare(t->scope->arg);
    if (mode == PAIR_LOADED)
        group_barrier(t->world);
    if (plays)
        time_batch(t, direction, size, count, &b);
    if (t->fastest_s == 0 || b.own_s < t->fastest_s)
        t->fastest_s = b.own_s;
    double most[] = {t->fastest_s, b.spent_s, !b.certain};
    if (mode == PAIR_LOADED)
        group_max(t->world, most, 3);
    b.slowest_s = most[0];
    b.spent_s = most[1];
    b.certain = most[2] == 0;
    return b;
}

/* Exchanges for a batch, so that all pairs of a round are busy for as long. Their lengths come from
 * the fastest messages so far: one that was interrupted would make the others' batches long. */
static size_t count_for(const struct timing *t, const struct batch *b,
                        enum pair_direction direction) {
    enum { MOST = 100000, SAMPLES = 50 };
    static const double shortest_s = 20e-6, longest_s = 200e-6;
    const double ways = direction == PAIR_ONE ? 2 : 1;
    const double share = fmin(fmax(t->point_s / SAMPLES, shortest_s), longest_s);
    const double count = fmax(share / ways, b->slowest_s) / fmax(t->fastest_s, 1e-9);
    return count < 1 ? 1 : count > MOST ? MOST : (size_t)count;
}

/* Whether the point's samples may become those of the record, which must suffice for a comparison.
 */
static bool is_recorded(const struct timing *t, enum pair_mode mode, enum pair_direction direction,
                        int size) {
    return mode == PAIR_ISOLATED && direction == PAIR_ONE && size == t->pairs->n_sizes - 1;
}

/* Two batches to warm up and to find their length, then samples until they suffice. */
static bool take_point(struct timing *t, enum pair_mode mode, enum pair_direction direction,
                       int size) {
    enum { WARM_UP = 2 };
    const size_t most = t->config->max_samples, wanted = t->config->min_samples;
    size_t least = most < PAIR_LEAST_SAMPLES ? most : PAIR_LEAST_SAMPLES;
    if (is_recorded(t, mode, direction, size) && wanted > least)
        least = wanted;
    size_t count = 1;
    t->n = 0;
    t->point_start = clock_s();
    t->fastest_s = 0;
    for (size_t batches = 0;; batches++) {
        const struct batch b = run_batch(t, mode, direction, size, count);
        if (t->n >= least && b.certain)
            return true;
        if (batches >= WARM_UP)
            t->samples[t->n++] = b.own_s;
        if (t->n >= most || (t->n >= least && b.spent_s >= t->point_s))
            return false;
        count = t->scope->prepare ? 1 : count_for(t, &b, direction);
    }
}

static void keep_slowest(struct timing *t, double median) {
    if (!pairs_leads(t->pairs) || median <= t->slowest_s)
        return;
    memcpy(t->slowest, t->samples, t->n * sizeof *t->samples);
    t->n_slowest = t->n;
    t->slowest_s = median;
}

/* All sizes and directions of this rank's pair. */
static enum status take_curves(struct timing *t, enum pair_mode mode) {
    enum status st = ST_OK;
    for (int size = 0; size < t->pairs->n_sizes; size++)
        for (int d = 0; d < PAIR_DIRECTIONS; d++) {
            struct summary s;
            const bool sure = take_point(t, mode, (enum pair_direction)d, size);
            if (!takes_part(t))
                continue;
            t->converged = t->converged && sure;
            if (stats_summarise(t->samples, t->n, &s) != ST_OK) {
                st = ST_ENV; /* the others are not kept waiting */
                continue;
            }
            t->result.median_s[mode][d][size] = s.median;
            if (is_recorded(t, mode, (enum pair_direction)d, size))
                keep_slowest(t, s.median);
        }
    return st;
}

static bool is_alone(const struct timing *t, int a, int b) {
    return !t->scope->alone || t->scope->alone[pair_index(t->world->size, a, b)];
}

/* How many pairs of a round are measured in isolation. */
static int turns(const struct timing *t, int round) {
    int n = 0;
    for (int a = 0; a < t->world->size; a++) {
        const int b = tournament_peer(t->world->size, round, a);
        n += b > a && is_alone(t, a, b);
    }
    return n;
}

/* Those pairs of the round in turn, then all at once. */
static enum status measure_round(struct timing *t) {
    const int ranks = t->world->size, rank = t->world->rank;
    struct group patient = *t->world; /* ranks that wait for their turn leave the cores alone */
    enum status st = ST_OK;
    patient.wait = WAIT_BLOCK;
    t->result = (struct pair_result){0};
    for (int leader = 0; leader < ranks; leader++) {
        const int peer = tournament_peer(ranks, t->round, leader);
        if (peer < leader || !is_alone(t, leader, peer))
            continue; /* it follows, or has a bye, or is not asked for */
        if (rank == leader || rank == peer)
            st = take_curves(t, PAIR_ISOLATED);
        trace_begin(t->trace, PHASE_BARRIER);
        group_barrier(&patient);
        trace_end(t->trace);
    }
    const enum status loaded = take_curves(t, PAIR_LOADED);
    return group_agree(t->world, st == ST_OK ? loaded : st);
}

static void verify_round(struct timing *t, struct pair_times *out) {
    const uint64_t before = t->pairs->transport->sent[TRAFFIC_SP];
    out->wrong += pairs_verify(t->pairs);
    out->sent += t->pairs->transport->sent[TRAFFIC_SP] - before;
}

/* Every rank's result of the round, to rank 0's table. */
static void collect(struct timing *t, struct pair_result *all, struct pair_times *out) {
    const int ranks = t->world->size;
    group_allgather(t->world, &t->result, all, sizeof t->result);
    for (int a = 0; out->results && a < ranks; a++) {
        const int b = tournament_peer(ranks, t->round, a);
        if (b > a)
            out->results[pair_index(ranks, a, b)] = all[a];
    }
}

/* The samples of the slowest pair, which one rank has, on all. */
static enum status share_slowest(struct timing *t, struct pair_times *out) {
    const struct group *w = t->world;
    double longest = t->slowest_s;
    group_max(w, &longest, 1);
    double owner = t->slowest_s == longest ? -w->rank : -w->size;
    group_max(w, &owner, 1);
    group_bcast(w, &t->n_slowest, sizeof t->n_slowest, (int)-owner);
    group_bcast(w, t->slowest, t->n_slowest * sizeof *t->slowest, (int)-owner);
    out->slowest = (struct measurement){
        .samples = t->slowest, .converged = out->converged, .invalid = -1, .clock_error_s = NAN};
    t->slowest = NULL;
    return stats_summarise(out->slowest.samples, t->n_slowest, &out->slowest.time);
}

/* What is left of the table when the tournament is over. */
static enum status conclude(struct timing *t, struct pair_times *out) {
    uint64_t open = !t->converged;
    group_sum_u64(t->world, &out->wrong, 1);
    group_max_u64(t->world, &out->sent, 1);
    group_max_u64(t->world, &open, 1);
    out->converged = open == 0;
    return group_agree(t->world, share_slowest(t, out));
}

/* Gives every point of the rounds that are left the same share of the time that is left. */
static void share_time(struct timing *t) {
    const int rounds = tournament_rounds(t->world->size);
    int units = 0;
    double spent = clock_s() - t->start;
    group_max(t->world, &spent, 1);
    for (int round = t->round; round < rounds; round++)
        units += turns(t, round) > 0 ? turns(t, round) + 1 : 0; /* one more for all at once */
    const double points = (double)units * t->pairs->n_sizes * PAIR_DIRECTIONS;
    const double left = t->config->max_time_s - spent;
    t->point_s = left > 0 ? left / points : 0;
}

static enum status play(struct timing *t, struct pair_result *all, struct pair_times *out) {
    const int rounds = tournament_rounds(t->world->size);
    enum status st = ST_OK;
    for (t->round = 0; t->round < rounds && st == ST_OK; t->round++) {
        if (turns(t, t->round) == 0)
            continue;
        st = pairs_enter(t->pairs, t->round);
        if (st != ST_OK)
            return st;
        if (!out->algorithm[0])
            snprintf(out->algorithm, sizeof out->algorithm, "%s",
                     plan_algorithm(t->pairs->plans[0].both));
        trace_begin(t->trace, PHASE_EXCHANGE);
        if (t->scope->verify)
            verify_round(t, out);
        share_time(t);
        st = measure_round(t);
        trace_end(t->trace);
        if (st == ST_OK)
            collect(t, all, out);
    }
    return st == ST_OK ? conclude(t, out) : st;
}

enum status pair_times_measure(struct pairs *pairs, struct trace *trace,
                               const struct measure_config *config, const struct pair_scope *scope,
                               struct pair_times *out) {
    const struct group *world = pairs->group;
    const size_t most = config->max_samples, ranks = (size_t)world->size;
    *out = (struct pair_times){0};
    struct timing t = {.pairs = pairs,
                       .world = world,
                       .trace = trace,
                       .config = config,
                       .scope = scope,
                       .start = clock_s(),
                       .samples = malloc(most * sizeof(double)),
                       .slowest = malloc(most * sizeof(double)),
                       .converged = true};
    struct pair_result *all = malloc(ranks * sizeof *all);
    if (world->rank == 0)
        out->results = calloc(pair_count(world->size), sizeof *out->results);
    const bool complete = t.samples && t.slowest && all && (world->rank > 0 || out->results);
    enum status st = complete ? ST_OK : fail(ST_ENV, "out of memory for the times of all pairs");
    st = group_agree(world, st);
    if (st == ST_OK)
        st = play(&t, all, out);
    free(all);
    free(t.slowest);
    free(t.samples);
    return st;
}

void pair_times_free(struct pair_times *times) {
    measurement_free(&times->slowest);
    free(times->results);
    *times = (struct pair_times){0};
}
