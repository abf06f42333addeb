#include "comm/transport/shm/plan.h"

#include <sched.h>
#include <stdlib.h>

#include "comm/plan/block.h"

/* What one call of plan_progress() copies at most, about: some tens of microseconds. */
enum { STEP_BYTES = 256 << 10 };

static struct shm_transport *transport_of(const struct shm_plan *plan) {
    return (struct shm_transport *)plan->base.transport;
}

/* The partner's blocks have been read, or written. */
static void acknowledge(const struct shm_plan *plan, const struct shm_partner *partner) {
    shm_flag_raise(partner->ack, plan->exchange);
    shm_signal_fence();
    shm_bell_ring(partner->bell);
}

/* How many of the partners, in order from the first n on, are ready. */
static size_t opened(const struct shm_plan *plan, size_t n) {
    while (n < plan->n_partners && shm_flag_reached(plan->partners[n].ready, plan->exchange))
        n++;
    return n;
}

/* Copies what is ready, up to STEP_BYTES. true: this rank's share of the exchange is done, and the
 * others' share of its memory. */
static bool advance(struct shm_plan *plan) {
    size_t budget = STEP_BYTES, kept = 0;
    if (plan->push)
        plan->opened = opened(plan, plan->opened);
    if (!plan->push || plan->opened == plan->n_partners)
        plan->own_done = copy_list_step(&plan->own, plan->copy, &budget);
    for (size_t i = 0; i < plan->n_pending; i++) {
        struct shm_partner *partner = &plan->partners[plan->pending[i]];
        if (budget > 0 && (plan->own_done || !plan->push) &&
            shm_flag_reached(partner->ready, plan->exchange) &&
            copy_list_step(&partner->copies, plan->copy, &budget))
            acknowledge(plan, partner);
        else
            plan->pending[kept++] = plan->pending[i];
    }
    plan->n_pending = kept;
    while (plan->acked < plan->n_movers &&
           shm_flag_reached(plan->movers[plan->acked].ack, plan->exchange))
        plan->acked++;
    return plan->own_done && plan->n_pending == 0 && plan->acked == plan->n_movers;
}

/* Whether advance() would get any further now. */
static bool can_advance(const struct shm_plan *plan) {
    if (!plan->own_done)
        return !plan->push || opened(plan, plan->opened) == plan->n_partners;
    for (size_t i = 0; i < plan->n_pending; i++)
        if (shm_flag_reached(plan->partners[plan->pending[i]].ready, plan->exchange))
            return true;
    return plan->acked < plan->n_movers &&
           shm_flag_reached(plan->movers[plan->acked].ack, plan->exchange);
}

void shm_plan_start(struct plan *base) {
    struct shm_plan *plan = (struct shm_plan *)base;
    struct shm_transport *t = transport_of(plan);
    base->transport->sent[base->traffic] += base->send_bytes;
    plan->exchange++;
    plan->own_done = false;
    plan->opened = plan->acked = 0;
    plan->n_pending = plan->n_partners;
    copy_list_rewind(&plan->own);
    for (size_t i = 0; i < plan->n_partners; i++) {
        plan->pending[i] = i;
        copy_list_rewind(&plan->partners[i].copies);
    }
    plan->next = t->active;
    t->active = plan;
    shm_flag_raise(shm_plan_flag(plan, 0), plan->exchange);
    shm_signal_fence();
    for (size_t i = 0; i < plan->n_movers; i++)
        shm_bell_ring(plan->movers[i].bell);
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

/* Bytes and rows of one side of a plan. */
static void add_up(const struct block *blocks, size_t n, double *bytes, double *rows) {
    for (size_t i = 0; i < n; i++) {
        *bytes += (double)block_bytes(&blocks[i]);
        *rows += block_contiguous(&blocks[i]) ? 1 : (double)blocks[i].rows;
    }
}

/* How to copy, the same on all ranks. Streaming stores where what all ranks of the host read and
 * write at once fills more than half of its caches: beyond that, plain stores push out what is
 * still to be read. There, memory is fastest read from its beginning to its end, so the side on
 * which rows are shorter does the copying: a sender that scatters its rows walks through its own
 * memory once and writes everywhere, where each receiver would fetch every P-th piece of it. */
static void choose_copy(const struct shm_transport *t, const struct plan_spec *spec,
                        struct shm_plan *plan) {
    enum { SEND_BYTES, SEND_ROWS, RECV_BYTES, RECV_ROWS, SUMS };
    double sum[SUMS] = {0};
    add_up(spec->send, spec->n_send, &sum[SEND_BYTES], &sum[SEND_ROWS]);
    add_up(spec->recv, spec->n_recv, &sum[RECV_BYTES], &sum[RECV_ROWS]);
    group_sum(spec->group, sum, SUMS);
    const double per_rank = sum[RECV_BYTES] / spec->group->size;
    const bool stream = 2 * per_rank * t->ranks_here > (double)t->cache_bytes / 2;
    plan->copy = stream ? copy_rows_streaming() : copy_rows_plain;
    plan->push = stream && sum[SEND_ROWS] > sum[RECV_ROWS];
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
    if (plan) {
        plan->base = (struct plan){
            .transport = t, .traffic = spec->traffic, .stages = {STAGED_NOTHING, false}};
        plan->group = spec->group;
        plan->flags.fd = -1;
    }
    if (st == ST_OK) {
        choose_copy((const struct shm_transport *)t, spec, plan);
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
