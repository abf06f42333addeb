#include "comm/plan/in_flight.h"

/* Where plan stands, or NULL would: at the end. */
static struct plan **find(struct in_flight *f, const struct plan *plan) {
    struct plan **link = &f->first;
    while (*link && *link != plan)
        link = &(*link)->next;
    return link;
}

/* The one that runs is over: the next one sets out. */
static void next(struct in_flight *f) {
    plan_wait(f->running);
    f->running = f->running->next;
    if (f->running)
        plan_start(f->running);
}

/* Until plan, which runs or will, is over. */
static void drain(struct in_flight *f, const struct plan *plan, enum phase phase) {
    trace_begin(f->trace, phase);
    while (f->running != plan)
        next(f);
    next(f);
    trace_end(f->trace);
}

static bool is_over(const struct in_flight *f, const struct plan *plan) {
    const struct plan *p = f->running;
    while (p && p != plan)
        p = p->next;
    return !p;
}

void in_flight_start(struct in_flight *f, struct plan *plan, enum phase phase) {
    struct plan **link = plan ? find(f, plan) : NULL;
    if (!plan || *link)
        return;
    *link = plan;
    plan->next = NULL;
    if (!f->running) {
        f->running = plan;
        trace_begin(f->trace, phase);
        plan_start(plan);
        trace_end(f->trace);
    }
    if (!f->overlap)
        drain(f, plan, phase);
}

void in_flight_ahead(struct in_flight *f, struct plan *plan, enum phase phase) {
    if (f->overlap)
        in_flight_start(f, plan, phase);
}

void in_flight_finish(struct in_flight *f, struct plan *plan, enum phase phase) {
    struct plan **link = find(f, plan);
    if (!plan || !*link)
        return;
    if (!is_over(f, plan))
        drain(f, plan, phase);
    *link = plan->next;
}

bool in_flight_any(const struct in_flight *f) {
    return f->running;
}

void in_flight_poll(void *arg) {
    struct in_flight *f = arg;
    if (f->running && plan_progress(f->running))
        next(f);
}
