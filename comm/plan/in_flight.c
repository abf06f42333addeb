#include "comm/plan/in_flight.h"

#include <assert.h>
#include <string.h>

static int find(const struct in_flight *f, const struct plan *plan) {
    for (int i = 0; i < f->n; i++)
        if (f->plans[i] == plan)
            return i;
    return -1;
}

/* The first one that runs is over: the next one sets out. */
static void next(struct in_flight *f) {
    plan_wait(f->plans[f->done++]);
    if (f->done < f->n)
        plan_start(f->plans[f->done]);
}

/* Until none but the last n of those asked for are under way. */
static void drain(struct in_flight *f, int n, enum phase phase) {
    trace_begin(f->trace, phase);
    while (f->n - f->done > n)
        next(f);
    trace_end(f->trace);
}

static void forget(struct in_flight *f, int i) {
    f->n--;
    f->done--;
    memmove(&f->plans[i], &f->plans[i + 1], (size_t)(f->n - i) * sizeof f->plans[0]);
}

void in_flight_start(struct in_flight *f, struct plan *plan, enum phase phase) {
    if (!plan || find(f, plan) >= 0)
        return;
    assert(f->n < IN_FLIGHT_MAX);
    f->plans[f->n++] = plan;
    if (f->n - f->done == 1) {
        trace_begin(f->trace, phase);
        plan_start(plan);
        trace_end(f->trace);
    }
    if (!f->overlap)
        drain(f, 0, phase);
}

void in_flight_ahead(struct in_flight *f, struct plan *plan, enum phase phase) {
    if (f->overlap)
        in_flight_start(f, plan, phase);
}

void in_flight_finish(struct in_flight *f, struct plan *plan, enum phase phase) {
    const int i = find(f, plan);
    if (i < 0)
        return;
    if (i >= f->done)
        drain(f, f->n - 1 - i, phase);
    forget(f, i);
}

bool in_flight_any(const struct in_flight *f) {
    return f->done < f->n;
}

void in_flight_poll(void *arg) {
    struct in_flight *f = arg;
    if (in_flight_any(f) && plan_progress(f->plans[f->done]))
        next(f);
}
