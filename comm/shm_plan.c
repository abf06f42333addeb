#include "comm/shm_plan.h"

#include <sched.h>
#include <stdlib.h>

#include "comm/strided.h"

/* What one call of plan_progress() copies at most, about: some tens of microseconds. */
enum { STEP_BYTES = 256 << 10 };

static struct shm_transport *transport_of(const struct shm_plan *plan) {
    return (struct shm_transport *)plan->base.transport;
}

/* The source's blocks have been read. */
static void acknowledge(const struct shm_plan *plan, const struct shm_source *source) {
    shm_flag_raise(source->ack, plan->exchange);
    shm_signal_fence();
    shm_bell_ring(source->bell);
}

/* Copies what is ready, up to STEP_BYTES. true: everything has been received, and read by others.
 */
static bool advance(struct shm_plan *plan) {
    size_t budget = STEP_BYTES, kept = 0;
    plan->own_done = copy_list_step(&plan->own, plan->copy, &budget);
    for (size_t i = 0; i < plan->n_pending; i++) {
        struct shm_source *source = &plan->sources[plan->pending[i]];
        if (budget > 0 && shm_flag_reached(source->ready, plan->exchange) &&
            copy_list_step(&source->copies, plan->copy, &budget))
            acknowledge(plan, source);
        else
            plan->pending[kept++] = plan->pending[i];
    }
    plan->n_pending = kept;
    while (plan->acked < plan->n_readers &&
           shm_flag_reached(plan->readers[plan->acked].ack, plan->exchange))
        plan->acked++;
    return plan->own_done && plan->n_pending == 0 && plan->acked == plan->n_readers;
}

/* Whether advance() would get any further now. */
static bool can_advance(const struct shm_plan *plan) {
    if (!plan->own_done)
        return true;
    for (size_t i = 0; i < plan->n_pending; i++)
        if (shm_flag_reached(plan->sources[plan->pending[i]].ready, plan->exchange))
            return true;
    return plan->acked < plan->n_readers &&
           shm_flag_reached(plan->readers[plan->acked].ack, plan->exchange);
}

void shm_plan_start(struct plan *base) {
    struct shm_plan *plan = (struct shm_plan *)base;
    struct shm_transport *t = transport_of(plan);
    base->transport->sent[base->traffic] += base->send_bytes;
    plan->exchange++;
    plan->own_done = false;
    plan->acked = 0;
    plan->n_pending = plan->n_sources;
    copy_list_rewind(&plan->own);
    for (size_t i = 0; i < plan->n_sources; i++) {
        plan->pending[i] = i;
        copy_list_rewind(&plan->sources[i].copies);
    }
    plan->next = t->active;
    t->active = plan;
    shm_flag_raise(shm_plan_flag(plan, 0), plan->exchange);
    shm_signal_fence();
    for (size_t i = 0; i < plan->n_readers; i++)
        shm_bell_ring(plan->readers[i].bell);
}

/* A rank that needs one plan also serves its other ones: ranks may wait in different orders. */
bool shm_plan_progress(struct plan *base) {
    struct shm_plan *plan = (struct shm_plan *)base;
    if (advance(plan))
        return true;
    for (struct shm_plan *p = transport_of(plan)->active; p; p = p->next)
        if (p != plan)
            advance(p);
    return false;
}

static bool progress_until_done(void *arg) {
    return shm_plan_progress(arg);
}

static bool something_happened(void *arg) {
    for (const struct shm_plan *p = ((const struct shm_transport *)arg)->active; p; p = p->next)
        if (can_advance(p))
            return true;
    return false;
}

static void sleep_for_signal(void *arg) {
    struct shm_transport *t = transport_of(arg);
    sched_yield(); /* a wake-up costs more than a turn of those who run anyway */
    shm_bell_sleep(t->bell.data, something_happened, t);
}

/* Takes the plan off the list of active ones, if it is there. */
static void retire(struct shm_plan *plan) {
    struct shm_plan **link = &transport_of(plan)->active;
    while (*link && *link != plan)
        link = &(*link)->next;
    if (*link)
        *link = plan->next;
}

void shm_plan_wait(struct plan *base) {
    struct shm_plan *plan = (struct shm_plan *)base;
    wait_until_woken(plan->group->wait, progress_until_done, sleep_for_signal, plan);
    retire(plan);
}

/* Streaming stores where what all ranks of the host read and write at once fills more than half of
 * its caches: beyond that, plain stores push out what is still to be read. */
static copy_rows_fn *choose_copy(const struct shm_transport *t, const struct plan_spec *spec) {
    size_t bytes = 0;
    for (size_t i = 0; i < spec->n_recv; i++)
        bytes += block_bytes(&spec->recv[i]);
    return 2 * bytes * (size_t)t->ranks_here > t->cache_bytes / 2 ? copy_rows_streaming()
                                                                  : copy_rows_plain;
}

enum status shm_plan_create(struct transport *t, const struct plan_spec *spec, struct plan **out) {
    struct peer_bytes bytes;
    struct shm_plan *plan = NULL;
    enum status st = peer_bytes_agree(spec, &bytes);
    if (st == ST_OK) {
        plan = calloc(1, sizeof *plan);
        st = group_agree(spec->group,
                         plan ? ST_OK : fail(ST_ENV, "out of memory for an exchange plan"));
    }
    if (st == ST_OK) {
        plan->base = (struct plan){.transport = t, .traffic = spec->traffic};
        plan->group = spec->group;
        plan->flags.fd = -1;
        plan->copy = choose_copy((const struct shm_transport *)t, spec);
        plan_count(spec, &plan->base);
        /* Agreeing also tells that all peers have attached. */
        st = group_agree(spec->group, shm_connect(plan, spec, &bytes));
        shm_segment_seal(&plan->flags);
    }
    peer_bytes_free(&bytes);
    if (st == ST_OK)
        *out = &plan->base;
    else if (plan)
        shm_plan_free(&plan->base);
    return st;
}

void shm_plan_free(struct plan *base) {
    struct shm_plan *plan = (struct shm_plan *)base;
    retire(plan);
    shm_disconnect(plan);
    free(plan);
}
