#include "comm/wrap/traffic.h"

#include <math.h>
#include <stdlib.h>

struct traffic_plan {
    const struct plan *plan;
    struct rank_traffic traffic;
};

void traffic_close(struct traffic_log *log) {
    traffic_end(log);
    free(log->plans);
    free(log->steps);
    *log = (struct traffic_log){0};
}

void traffic_begin(struct traffic_log *log) {
    log->noting = true;
    log->n = 0;
    log->in_flight = 0;
}

void traffic_end(struct traffic_log *log) {
    log->noting = false;
    if (log->transport)
        log->transport->ops = log->ops;
    log->transport = NULL;
}

/* Room for one more element; NULL, and the log incomplete, without memory. */
static void *grow(struct traffic_log *log, void *array, size_t n, size_t *room, size_t size) {
    if (n < *room)
        return array;
    const size_t more = *room ? 2 * *room : 32;
    void *grown = realloc(array, more * size);
    if (grown)
        *room = more;
    else
        log->incomplete = true;
    return grown;
}

/* Bytes and number of a list's blocks to (or from) every rank of the group, [2 * size]. */
static void per_peer(const struct block *blocks, size_t n, double *bytes, double *messages) {
    for (size_t i = 0; i < n; i++) {
        bytes[blocks[i].peer] += (double)block_bytes(&blocks[i]);
        messages[blocks[i].peer] += block_bytes(&blocks[i]) > 0;
    }
}

/* peers: bytes sent, messages sent, bytes received, messages received, each [group size]. */
static void classify(const struct traffic_log *log, const struct group *g, const int *in_world,
                     const double *peers, struct rank_traffic *out) {
    const size_t size = (size_t)g->size;
    double sent[LINK_CLASSES] = {0}, received[LINK_CLASSES] = {0};
    const struct place *mine = &log->places[log->world->rank];
    for (size_t p = 0; p < size; p++) {
        const double to = peers[p], from = peers[2 * size + p];
        if ((int)p == g->rank) {
            out->own += to;
            continue;
        }
        const enum link_class link = place_link(mine, &log->places[in_world[p]]);
        out->sent[link] += to;
        out->received[link] += from;
        sent[link] += peers[size + p];
        received[link] += peers[3 * size + p];
        if (link == LINK_NETWORK)
            out->flow = fmax(out->flow, fmax(to, from));
    }
    for (int c = 0; c < LINK_CLASSES; c++)
        out->messages[c] = fmax(sent[c], received[c]);
}

static void note_plan(struct traffic_log *log, const struct plan_spec *spec,
                      const struct plan *plan) {
    const size_t size = (size_t)spec->group->size;
    struct traffic_plan *plans =
        grow(log, log->plans, log->n_plans, &log->room_plans, sizeof *log->plans);
    if (!plans)
        return;
    log->plans = plans;
    double *peers = calloc(4 * size, sizeof *peers);
    int *in_world = calloc(size, sizeof *in_world);
    if (peers && in_world) {
        struct traffic_plan *entry = &log->plans[log->n_plans++];
        *entry = (struct traffic_plan){.plan = plan};
        per_peer(spec->send, spec->n_send, peers, peers + size);
        per_peer(spec->recv, spec->n_recv, peers + 2 * size, peers + 3 * size);
        group_ranks_in(spec->group, log->world, in_world);
        classify(log, spec->group, in_world, peers, &entry->traffic);
    } else {
        log->incomplete = true;
    }
    free(in_world);
    free(peers);
}

/* A plan may stand where a freed one stood: the latest counts. */
static const struct rank_traffic *find(const struct traffic_log *log, const struct plan *plan) {
    for (size_t i = log->n_plans; i-- > 0;)
        if (log->plans[i].plan == plan)
            return &log->plans[i].traffic;
    return NULL;
}

static void add(struct rank_traffic *sum, const struct rank_traffic *t) {
    for (int c = 0; c < LINK_CLASSES; c++) {
        sum->sent[c] += t->sent[c];
        sum->received[c] += t->received[c];
        sum->messages[c] += t->messages[c];
    }
    sum->own += t->own;
    sum->flow += t->flow;
}

static void note_start(struct traffic_log *log, const struct plan *plan) {
    if (!log->noting || log->incomplete)
        return;
    const struct rank_traffic *traffic = find(log, plan);
    if (!traffic) {
        log->incomplete = true;
        return;
    }
    if (log->in_flight++ == 0) {
        struct rank_traffic *steps = grow(log, log->steps, log->n, &log->room, sizeof *log->steps);
        if (!steps)
            return;
        log->steps = steps;
        log->steps[log->n++] = (struct rank_traffic){0};
    }
    add(&log->steps[log->n - 1], traffic);
}

static struct traffic_log *log_of(const struct transport *t) {
    return (struct traffic_log *)t->ops;
}

static enum status listen_create(struct transport *t, const struct plan_spec *spec,
                                 struct plan **out) {
    struct traffic_log *log = log_of(t);
    const enum status st = log->ops->plan_create(t, spec, out);
    if (st == ST_OK)
        note_plan(log, spec, *out);
    return st;
}

static void listen_start(struct plan *plan) {
    struct traffic_log *log = log_of(plan->transport);
    note_start(log, plan);
    log->ops->plan_start(plan);
}

static void listen_wait(struct plan *plan) {
    struct traffic_log *log = log_of(plan->transport);
    log->ops->plan_wait(plan);
    if (log->noting)
        log->in_flight--;
}

void traffic_open(struct traffic_log *log, struct transport *t, const struct group *world,
                  const struct place *places) {
    *log = (struct traffic_log){
        .listening = *t->ops, .ops = t->ops, .transport = t, .places = places, .world = world};
    log->listening.plan_create = listen_create;
    log->listening.plan_start = listen_start;
    log->listening.plan_wait = listen_wait;
    t->ops = &log->listening;
}

struct rank_traffic *traffic_gather(const struct traffic_log *log, size_t *steps) {
    const struct group *w = log->world;
    const size_t ranks = (size_t)w->size;
    double most[] = {(double)log->n, -(double)log->n, log->incomplete};
    group_max(w, most, 3);
    *steps = 0;
    if (most[0] != -most[1] || most[0] == 0 || most[2] > 0)
        return NULL;
    struct rank_traffic *all = malloc(log->n * ranks * sizeof *all);
    if (group_agree(w, all ? ST_OK : ST_ENV) != ST_OK) {
        free(all);
        return NULL;
    }
    for (size_t k = 0; k < log->n; k++)
        group_allgather(w, &log->steps[k], all + k * ranks, sizeof *all);
    *steps = log->n;
    return all;
}
