#include "comm/wrap/tap.h"

#include <stdlib.h>

struct tap_plan {
    struct plan base;
    struct plan *inner;
};

struct event {
    struct plan *inner;
    bool wait; /* else start */
};

struct tap {
    struct transport base;
    struct transport *inner;
    enum tap_mode mode;
    bool recording, overflow;
    struct event *events;
    size_t n, capacity;
    struct algorithm_list algorithms; /* of SP plans */
};

static struct tap *tap_of(const struct plan *plan) {
    return (struct tap *)plan->transport;
}

static struct plan *inner_of(const struct plan *plan) {
    return ((const struct tap_plan *)plan)->inner;
}

static void note_event(struct tap *tap, struct plan *inner, bool wait) {
    if (!tap->recording || tap->overflow)
        return;
    if (tap->n == tap->capacity) {
        const size_t more = tap->capacity ? 2 * tap->capacity : 64;
        struct event *events = realloc(tap->events, more * sizeof *events);
        if (!events) {
            tap->overflow = true;
            return;
        }
        tap->events = events;
        tap->capacity = more;
    }
    tap->events[tap->n++] = (struct event){inner, wait};
}

static enum status tap_alloc(struct transport *t, enum mem_category category, size_t bytes,
                             struct buffer *out) {
    return buffer_alloc(((struct tap *)t)->inner, category, bytes, out);
}

static void tap_free(struct transport *t, struct buffer *buffer) {
    buffer_free(((struct tap *)t)->inner, buffer);
}

static enum status tap_plan_create(struct transport *t, const struct plan_spec *spec,
                                   struct plan **out) {
    struct tap_plan *plan = calloc(1, sizeof *plan);
    enum status st = plan ? ST_OK : fail(ST_ENV, "out of memory for an exchange plan");
    st = group_agree(spec->group, st);
    if (st == ST_OK)
        st = plan_create(((struct tap *)t)->inner, spec, &plan->inner);
    if (st != ST_OK) {
        free(plan);
        return st;
    }
    plan->base = *plan->inner;
    plan->base.transport = t;
    if (spec->traffic == TRAFFIC_SP)
        algorithm_list_add(&((struct tap *)t)->algorithms, plan_algorithm(plan->inner),
                           plan->inner->stages);
    *out = &plan->base;
    return ST_OK;
}

static void tap_plan_free(struct plan *plan) {
    plan_free(inner_of(plan));
    free(plan);
}

/* The counts of the inner transport are the truth; the tap shows them as its own. */
static void mirror_counts(struct tap *tap) {
    for (int k = 0; k < TRAFFIC_KINDS; k++)
        tap->base.sent[k] = tap->inner->sent[k];
}

static void tap_plan_start(struct plan *plan) {
    struct tap *tap = tap_of(plan);
    if (tap->mode == TAP_STUB)
        return;
    note_event(tap, inner_of(plan), false);
    plan_start(inner_of(plan));
    mirror_counts(tap);
}

static bool tap_plan_progress(struct plan *plan) {
    return tap_of(plan)->mode == TAP_STUB || plan_progress(inner_of(plan));
}

static void tap_plan_wait(struct plan *plan) {
    struct tap *tap = tap_of(plan);
    if (tap->mode == TAP_STUB)
        return;
    note_event(tap, inner_of(plan), true);
    plan_wait(inner_of(plan));
}

static const char *tap_algorithm(const struct plan *plan) {
    return plan_algorithm(inner_of(plan));
}

static void tap_close(struct transport *t) {
    struct tap *tap = (struct tap *)t;
    transport_close(tap->inner);
    free(tap->events);
    free(tap);
}

enum status tap_open(struct transport *inner, struct transport **out) {
    static const struct transport_ops ops = {
        .alloc = tap_alloc,
        .free = tap_free,
        .plan_create = tap_plan_create,
        .plan_start = tap_plan_start,
        .plan_progress = tap_plan_progress,
        .plan_wait = tap_plan_wait,
        .plan_free = tap_plan_free,
        .algorithm = tap_algorithm,
        .close = tap_close,
    };
    struct tap *tap = calloc(1, sizeof *tap);
    if (!tap)
        return fail(ST_ENV, "out of memory for a transport");
    tap->base = *inner;
    tap->base.ops = &ops;
    tap->inner = inner;
    *out = &tap->base;
    return ST_OK;
}

struct algorithm_list tap_algorithms(const struct transport *t) {
    struct algorithm_list list = ((const struct tap *)t)->algorithms;
    if (list.n == 0)
        algorithm_list_add(&list, "none", (struct staging_rule){STAGED_NOTHING, false});
    return list;
}

void tap_set_mode(struct transport *t, enum tap_mode mode) {
    ((struct tap *)t)->mode = mode;
}

enum status tap_record_begin(struct transport *t) {
    struct tap *tap = (struct tap *)t;
    tap->recording = true;
    tap->overflow = false;
    tap->n = 0;
    return ST_OK;
}

enum status tap_record_end(struct transport *t) {
    struct tap *tap = (struct tap *)t;
    tap->recording = false;
    return tap->overflow ? fail(ST_ENV, "out of memory for the recorded exchanges") : ST_OK;
}

void tap_replay(struct transport *t) {
    struct tap *tap = (struct tap *)t;
    for (size_t i = 0; i < tap->n; i++) {
        if (tap->events[i].wait)
            plan_wait(tap->events[i].inner);
        else
            plan_start(tap->events[i].inner);
    }
    mirror_counts(tap);
}
