#include "comm/transport/mpi/mpi.h"

#include <stdio.h>
#include <stdlib.h>

#include "comm/plan/peer_bytes.h"
#include "comm/transport/mpi/choice.h"
#include "comm/transport/mpi/plan.h"

struct mpi_transport {
    struct transport base;
    const struct mpi_algorithm *algorithm; /* NULL: the fastest for each plan */
    struct mpi_choices choices;
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

static bool any_strided(const struct block *blocks, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!block_contiguous(&blocks[i]))
            return true;
    return false;
}

/* The widest unit that divides what shapes the blocks. */
static size_t unit_of(const struct block *blocks, size_t n) {
    size_t bits = 8;
    for (size_t i = 0; i < n; i++)
        bits |= blocks[i].offset | blocks[i].row_bytes | blocks[i].stride;
    return bits & -bits;
}

static struct plan_traits find_traits(const struct plan_spec *spec,
                                      const struct peer_bytes *bytes) {
    bool gap = repeats(spec);
    double sent = 0, received = 0;
    for (int p = 0; p < spec->group->size; p++) {
        gap |= bytes->send[p] == 0;
        sent += (double)bytes->send[p];
        received += (double)bytes->recv[p];
    }
    const bool strided =
        any_strided(spec->send, spec->n_send) || any_strided(spec->recv, spec->n_recv);
    const size_t out = unit_of(spec->send, spec->n_send), in = unit_of(spec->recv, spec->n_recv);
    double x[] = {gap, strided, sent > received ? sent : received, -(double)(out < in ? out : in)};
    group_max(spec->group, x, 4);
    return (struct plan_traits){.tag = group_take_tag(spec->group),
                                .dense = x[0] == 0,
                                .strided = x[1] > 0,
                                .bytes = x[2],
                                .unit = (size_t)-x[3]};
}

static enum status mpi_plan_create(struct transport *t, const struct plan_spec *spec,
                                   struct plan **out) {
    struct mpi_transport *mpi = (struct mpi_transport *)t;
    struct peer_bytes bytes;
    struct plan_traits traits = {0};
    const enum status st = peer_bytes_agree(spec, &bytes);
    if (st == ST_OK)
        traits = find_traits(spec, &bytes);
    peer_bytes_free(&bytes);
    if (st != ST_OK)
        return st;
    const struct mpi_algorithm *algorithm = mpi->algorithm;
    if (!algorithm)
        algorithm = mpi_choose(&mpi->choices, t, spec, &traits);
    else if (algorithm->needs_every_peer && !traits.dense)
        algorithm = mpi_algorithm_table[0];
    return mpi_plan_build(t, spec, algorithm, &traits, out);
}

static void mpi_close(struct transport *t) {
    mpi_choices_free(&((struct mpi_transport *)t)->choices);
    free(t);
}

static const struct transport_ops mpi_ops = {
    .alloc = mpi_buffer_alloc,
    .free = mpi_buffer_free,
    .plan_create = mpi_plan_create,
    .plan_start = mpi_plan_start,
    .plan_progress = mpi_plan_progress,
    .plan_wait = mpi_plan_wait,
    .plan_free = mpi_plan_free,
    .algorithm = mpi_plan_algorithm,
    .close = mpi_close,
};

/* Whoever opens a transport is a rank, so MPI runs there. */
static bool mpi_available(char *why, size_t why_size) {
    (void)why;
    (void)why_size;
    return true;
}

static bool mpi_reaches(const struct transport_config *config, char *why, size_t why_size) {
    (void)config;
    snprintf(why, why_size, "reaches every rank");
    return true;
}

static struct staging_rule mpi_staging(const struct mpi_algorithm *algorithm, bool one_host) {
    (void)one_host;
    return (struct staging_rule){algorithm ? algorithm->stages : STAGED_MOST, false};
}

static enum status mpi_open(const struct transport_config *config, struct transport **out) {
    struct mpi_transport *mpi = calloc(1, sizeof *mpi);
    if (!mpi)
        return fail(ST_ENV, "out of memory for the mpi transport");
    mpi->base =
        (struct transport){.ops = &mpi_ops, .ledger = config->ledger, .trace = config->trace};
    mpi->algorithm = config->algorithm;
    mpi->choices.algorithms = mpi_algorithm_table;
    *out = &mpi->base;
    return ST_OK;
}

const struct transport_row transport_mpi = {
    .name = "mpi",
    .help = "MPI messages over strided blocks",
    .algorithm = ALGORITHM_EVERYWHERE,
    .available = mpi_available,
    .reaches = mpi_reaches,
    .staging = mpi_staging,
    .open = mpi_open,
};
