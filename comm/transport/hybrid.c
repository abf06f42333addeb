/* The `hybrid` transport: peers on the rank's own host through shared memory, all others through
 * MPI, both at once. A plan is split in two by peer. */
#include <stdio.h>
#include <stdlib.h>

#include "comm/plan/peer_bytes.h"
#include "comm/ranks/host_map.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/mpi/mpi.h"
#include "comm/transport/shm/shm.h"

struct hybrid_transport {
    struct transport base;
    struct transport *shm, *mpi;
    struct host_map hosts;
    const struct group *world;
};

struct hybrid_plan {
    struct plan base;
    struct group *group;
    struct plan *local;  /* peers on this host, and the rank itself */
    struct plan *remote; /* NULL where no rank of the group has one */
    char algorithm[48];
};

/* Buffers are shared memory, which MPI can send from as well. */
static enum status hybrid_alloc(struct transport *t, enum mem_category category, size_t bytes,
                                struct buffer *out) {
    return buffer_alloc(((struct hybrid_transport *)t)->shm, category, bytes, out);
}

static void hybrid_free(struct transport *t, struct buffer *buffer) {
    buffer_free(((struct hybrid_transport *)t)->shm, buffer);
}

/* Whether each rank of the group is on this rank's host, [group size]. */
static enum status find_local(const struct hybrid_transport *h, const struct group *g,
                              bool *local) {
    int *in_world = calloc((size_t)g->size, sizeof *in_world);
    if (!in_world)
        return fail(ST_ENV, "out of memory for a plan over %d ranks", g->size);
    group_ranks_in(g, h->world, in_world);
    for (int r = 0; r < g->size; r++)
        local[r] = h->hosts.host_keys[in_world[r]] == h->hosts.host_keys[h->world->rank];
    free(in_world);
    return ST_OK;
}

/* Local blocks first, then remote ones, each in their order; returns the number of local ones. */
static size_t sort_blocks(const struct block *blocks, size_t n, const bool *local,
                          struct block *out) {
    size_t at = 0, n_local = 0;
    for (int remote = 0; remote < 2; remote++) {
        for (size_t i = 0; i < n; i++)
            if (local[blocks[i].peer] == !remote)
                out[at++] = blocks[i];
        if (!remote)
            n_local = at;
    }
    return n_local;
}

static void hybrid_plan_free(struct plan *base) {
    struct hybrid_plan *plan = (struct hybrid_plan *)base;
    plan_free(plan->remote);
    plan_free(plan->local);
    free(plan);
}

static enum status create_parts(struct hybrid_plan *plan, const struct plan_spec *spec,
                                const struct block *send, size_t local_send,
                                const struct block *recv, size_t local_recv) {
    const struct hybrid_transport *h = (const struct hybrid_transport *)plan->base.transport;
    struct plan_spec part = *spec;
    part.send = send;
    part.recv = recv;
    part.n_send = local_send;
    part.n_recv = local_recv;
    enum status st = plan_create(h->shm, &part, &plan->local);
    double remote = spec->n_send > local_send || spec->n_recv > local_recv;
    group_max(spec->group, &remote, 1);
    if (st != ST_OK || remote == 0)
        return st;
    part.send = send + local_send;
    part.recv = recv + local_recv;
    part.n_send = spec->n_send - local_send;
    part.n_recv = spec->n_recv - local_recv;
    return plan_create(h->mpi, &part, &plan->remote);
}

static enum status hybrid_plan_create(struct transport *t, const struct plan_spec *spec,
                                      struct plan **out) {
    struct hybrid_plan *plan = calloc(1, sizeof *plan);
    struct block *send = calloc(spec->n_send + 1, sizeof *send);
    struct block *recv = calloc(spec->n_recv + 1, sizeof *recv);
    bool *local = calloc((size_t)spec->group->size, sizeof *local);
    enum status st = plan && send && recv && local
                         ? find_local((const struct hybrid_transport *)t, spec->group, local)
                         : fail(ST_ENV, "out of memory for an exchange plan");
    st = group_agree(spec->group, st);
    if (st == ST_OK) {
        plan->base = (struct plan){.transport = t, .traffic = spec->traffic};
        plan->group = spec->group;
        plan_count(spec, &plan->base);
        const size_t local_send = sort_blocks(spec->send, spec->n_send, local, send);
        const size_t local_recv = sort_blocks(spec->recv, spec->n_recv, local, recv);
        st = create_parts(plan, spec, send, local_send, recv, local_recv);
    }
    free(local);
    free(recv);
    free(send);
    if (st == ST_OK) {
        plan->base.stages =
            (struct staging_rule){plan->remote ? plan->remote->stages.what : STAGED_NOTHING, true};
        snprintf(plan->algorithm, sizeof plan->algorithm, "%s%s%s", plan_algorithm(plan->local),
                 plan->remote ? "+" : "", plan->remote ? plan_algorithm(plan->remote) : "");
        *out = &plan->base;
    } else if (plan) {
        hybrid_plan_free(&plan->base);
    }
    return st;
}

static void hybrid_plan_start(struct plan *base) {
    struct hybrid_plan *plan = (struct hybrid_plan *)base;
    struct hybrid_transport *h = (struct hybrid_transport *)base->transport;
    if (plan->remote)
        plan_start(plan->remote);
    plan_start(plan->local);
    for (int k = 0; k < TRAFFIC_KINDS; k++)
        base->transport->sent[k] = h->shm->sent[k] + h->mpi->sent[k];
}

static bool hybrid_plan_progress(struct plan *base) {
    struct hybrid_plan *plan = (struct hybrid_plan *)base;
    const bool remote = !plan->remote || plan_progress(plan->remote);
    return plan_progress(plan->local) && remote;
}

static bool progress_until_done(void *arg) {
    return hybrid_plan_progress(arg);
}

/* The parts progress together, without sleeping through MPI's messages; what is left is then waited
 * for where it can be slept for. */
static void hybrid_plan_wait(struct plan *base) {
    struct hybrid_plan *plan = (struct hybrid_plan *)base;
    if (plan->remote) {
        wait_until(plan->group->wait, progress_until_done, plan);
        plan_wait(plan->remote);
    }
    plan_wait(plan->local);
}

static const char *hybrid_algorithm(const struct plan *base) {
    return ((const struct hybrid_plan *)base)->algorithm;
}

static void hybrid_close(struct transport *t) {
    struct hybrid_transport *h = (struct hybrid_transport *)t;
    transport_close(h->mpi);
    transport_close(h->shm);
    host_map_free(&h->hosts);
    free(h);
}

static const struct transport_ops hybrid_ops = {
    .alloc = hybrid_alloc,
    .free = hybrid_free,
    .plan_create = hybrid_plan_create,
    .plan_start = hybrid_plan_start,
    .plan_progress = hybrid_plan_progress,
    .plan_wait = hybrid_plan_wait,
    .plan_free = hybrid_plan_free,
    .algorithm = hybrid_algorithm,
    .close = hybrid_close,
};

static bool hybrid_reaches(const struct transport_config *config, char *why, size_t why_size) {
    struct host_map map;
    if (host_map_create(config->world, config->host_key, &map) != ST_OK) {
        snprintf(why, why_size, "out of memory");
        return false;
    }
    host_map_shares(&map, config->world->size, why, why_size);
    const bool useful = map.connected && (map.n_hosts < config->world->size || map.n_hosts == 1);
    if (map.connected && !useful)
        snprintf(why, why_size, "no two of the %d ranks share a host", config->world->size);
    host_map_free(&map);
    return useful;
}

/* Messages between hosts are no all-to-all. */
static struct staging_rule hybrid_staging(const struct mpi_algorithm *algorithm, bool one_host) {
    if (!algorithm || algorithm->needs_every_peer)
        algorithm = mpi_algorithm_table[0];
    return (struct staging_rule){one_host ? STAGED_NOTHING : algorithm->stages, true};
}

static enum status hybrid_open(const struct transport_config *config, struct transport **out) {
    struct hybrid_transport *h = calloc(1, sizeof *h);
    enum status st =
        group_agree(config->world, h ? ST_OK : fail(ST_ENV, "out of memory for a transport"));
    if (st == ST_OK)
        st = host_map_create(config->world, config->host_key, &h->hosts);
    if (st == ST_OK)
        st = transport_shm.open(config, &h->shm);
    /* Without trials, which would say nothing of how the two halves get on together. */
    struct transport_config remote = *config;
    if (!remote.algorithm)
        remote.algorithm = mpi_algorithm_table[0];
    if (st == ST_OK)
        st = transport_mpi.open(&remote, &h->mpi);
    if (st != ST_OK) {
        if (h)
            hybrid_close(&h->base);
        return st;
    }
    h->base =
        (struct transport){.ops = &hybrid_ops, .ledger = config->ledger, .trace = config->trace};
    h->world = config->world;
    *out = &h->base;
    return ST_OK;
}

const struct transport_row transport_hybrid = {
    .name = "hybrid",
    .help = "shm within a host, mpi between hosts",
    .algorithm = ALGORITHM_BETWEEN_HOSTS,
    .available = shared_memory_works,
    .reaches = hybrid_reaches,
    .staging = hybrid_staging,
    .open = hybrid_open,
};
