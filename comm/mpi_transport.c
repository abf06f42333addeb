#include "comm/mpi_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/peer_bytes.h"

const struct mpi_algorithm *const mpi_algorithm_table[] = {&mpi_pairwise, &mpi_alltoall, NULL};

struct mpi_transport {
    struct transport base;
    const struct mpi_algorithm *algorithm;
};

static enum status mpi_buffer_alloc(struct transport *t, enum mem_category category, size_t bytes,
                                    struct buffer *out) {
    out->data = mem_alloc(t->ledger, category, bytes);
    if (!out->data)
        return ST_ENV;
    out->bytes = bytes;
    return ST_OK;
}

static void mpi_buffer_free(struct transport *t, struct buffer *buffer) {
    mem_free(t->ledger, buffer->data);
}

/* Whether the same data go to several peers, as in an all-gather: no all-to-all. */
static bool repeats(const struct plan_spec *spec) {
    for (size_t i = 1; i < spec->n_send; i++)
        if (spec->send[i].buffer == spec->send[i - 1].buffer &&
            spec->send[i].offset == spec->send[i - 1].offset)
            return true;
    return false;
}

/* Whether the plan is an all-to-all, in which every rank sends data of its own to every peer. */
static bool is_dense(const struct plan_spec *spec, const struct peer_bytes *bytes) {
    double gap = repeats(spec);
    for (int p = 0; p < spec->group->size; p++)
        if (bytes->send[p] == 0)
            gap = 1;
    group_max(spec->group, &gap, 1);
    return gap == 0;
}

static struct block *copy_blocks(const struct block *blocks, size_t n) {
    struct block *copy = malloc((n ? n : 1) * sizeof *copy);
    if (copy && n)
        memcpy(copy, blocks, n * sizeof *copy);
    return copy;
}

static void mpi_plan_free(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    plan->algorithm->destroy(plan);
    mem_free(base->transport->ledger, plan->staging_recv);
    mem_free(base->transport->ledger, plan->staging_send);
    free(plan->recv);
    free(plan->send);
    free(plan);
}

static enum status mpi_plan_create(struct transport *t, const struct plan_spec *spec,
                                   struct plan **out) {
    const struct mpi_transport *mpi = (const struct mpi_transport *)t;
    struct peer_bytes bytes;
    enum status st = peer_bytes_agree(spec, &bytes);
    const bool dense = st == ST_OK && is_dense(spec, &bytes);
    peer_bytes_free(&bytes);
    if (st != ST_OK)
        return st;

    const int tag = group_take_tag(spec->group);
    struct mpi_plan *plan = calloc(1, sizeof *plan);
    if (plan) {
        *plan = (struct mpi_plan){
            .base = {.transport = t, .traffic = spec->traffic},
            .group = spec->group,
            .algorithm =
                dense || !mpi->algorithm->needs_every_peer ? mpi->algorithm : &mpi_pairwise,
            .tag = tag,
            .send = copy_blocks(spec->send, spec->n_send),
            .recv = copy_blocks(spec->recv, spec->n_recv),
            .n_send = spec->n_send,
            .n_recv = spec->n_recv,
        };
        plan_count(spec, &plan->base);
        st = plan->send && plan->recv ? plan->algorithm->create(plan) : ST_ENV;
    } else {
        st = fail(ST_ENV, "out of memory for an exchange plan");
    }
    st = group_agree(spec->group, st);
    if (st == ST_OK)
        *out = &plan->base;
    else if (plan)
        mpi_plan_free(&plan->base);
    return st;
}

static void mpi_plan_start(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    plan->algorithm->start(plan);
}

static bool mpi_plan_progress(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    return plan->algorithm->progress(plan);
}

static bool progress_until_done(void *arg) {
    return mpi_plan_progress(arg);
}

static void mpi_plan_wait(struct plan *base) {
    wait_until(((struct mpi_plan *)base)->group->wait, progress_until_done, base);
}

static const char *mpi_plan_algorithm(const struct plan *base) {
    return ((const struct mpi_plan *)base)->algorithm->name;
}

static void mpi_transport_close(struct transport *t) {
    free(t);
}

static const struct transport_ops mpi_ops = {
    .name = "mpi",
    .help = "MPI messages over strided blocks",
    .alloc = mpi_buffer_alloc,
    .free = mpi_buffer_free,
    .plan_create = mpi_plan_create,
    .plan_start = mpi_plan_start,
    .plan_progress = mpi_plan_progress,
    .plan_wait = mpi_plan_wait,
    .plan_free = mpi_plan_free,
    .algorithm = mpi_plan_algorithm,
    .close = mpi_transport_close,
};

/* Whoever opens a transport is a rank, so MPI runs there. */
bool mpi_transport_available(char *why, size_t why_size) {
    (void)why;
    (void)why_size;
    return true;
}

bool mpi_transport_reaches(const struct transport_config *config, char *why, size_t why_size) {
    (void)config;
    snprintf(why, why_size, "reaches every rank");
    return true;
}

enum status mpi_transport_open(const struct transport_config *config, struct transport **out) {
    const struct mpi_algorithm *algorithm = NULL;
    for (int i = 0; mpi_algorithm_table[i] && !algorithm; i++)
        if (strcmp(config->algorithm, "auto") == 0 ||
            strcmp(config->algorithm, mpi_algorithm_table[i]->name) == 0)
            algorithm = mpi_algorithm_table[i];
    if (!algorithm)
        return fail(ST_USAGE, "--mpi-algo %s: no such algorithm", config->algorithm);
    struct mpi_transport *mpi = calloc(1, sizeof *mpi);
    if (!mpi)
        return fail(ST_ENV, "out of memory for the mpi transport");
    mpi->base =
        (struct transport){.ops = &mpi_ops, .ledger = config->ledger, .trace = config->trace};
    mpi->algorithm = algorithm;
    *out = &mpi->base;
    return ST_OK;
}
