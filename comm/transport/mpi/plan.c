#include "comm/transport/mpi/plan.h"

#include <stdlib.h>
#include <string.h>

#include "comm/plan/peer_bytes.h"

static struct block *copy_blocks(const struct block *blocks, size_t n) {
    struct block *copy = malloc((n ? n : 1) * sizeof *copy);
    if (copy && n)
        memcpy(copy, blocks, n * sizeof *copy);
    return copy;
}

void mpi_plan_free(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    plan->algorithm->destroy(plan);
    mem_free(base->transport->ledger, plan->staging_recv);
    mem_free(base->transport->ledger, plan->staging_send);
    free(plan->recv);
    free(plan->send);
    free(plan);
}

enum status mpi_plan_build(struct transport *t, const struct plan_spec *spec,
                           const struct mpi_algorithm *algorithm, const struct plan_traits *traits,
                           struct plan **out) {
    struct mpi_plan *plan = calloc(1, sizeof *plan);
    if (plan) {
        *plan = (struct mpi_plan){
            .base = {.transport = t,
                     .traffic = spec->traffic,
                     .stages = {algorithm->stages, false}},
            .group = spec->group,
            .algorithm = algorithm,
            .tag = traits->tag,
            .unit = traits->unit,
            .send = copy_blocks(spec->send, spec->n_send),
            .recv = copy_blocks(spec->recv, spec->n_recv),
            .n_send = spec->n_send,
            .n_recv = spec->n_recv,
        };
        plan_count(spec, &plan->base);
    }
    enum status st = plan && plan->send && plan->recv
                         ? ST_OK
                         : fail(ST_ENV, "out of memory for an exchange plan");
    st = group_agree(spec->group, st);
    if (st == ST_OK)
        st = group_agree(spec->group, algorithm->create(plan));
    if (st == ST_OK)
        *out = &plan->base;
    else if (plan)
        mpi_plan_free(&plan->base);
    return st;
}

void mpi_plan_start(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    plan->algorithm->start(plan);
}

bool mpi_plan_progress(struct plan *base) {
    struct mpi_plan *plan = (struct mpi_plan *)base;
    return plan->algorithm->progress(plan);
}

static bool progress_until_done(void *arg) {
    return mpi_plan_progress(arg);
}

void mpi_plan_wait(struct plan *base) {
    wait_until(((struct mpi_plan *)base)->group->wait, progress_until_done, base);
}

const char *mpi_plan_algorithm(const struct plan *base) {
    return ((const struct mpi_plan *)base)->algorithm->name;
}
