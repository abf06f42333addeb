#include "comm/wrap/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault_plan {
    struct plan base;
    struct plan *inner;
    struct block victim; /* the first block from another rank; rows 0: none */
};

struct fault_transport {
    struct transport base;
    struct transport *inner;
    struct fault fault;
    bool armed; /* this is the rank that breaks */
    long *counter;
};

static const char *const kind_names[] = {
    [FAULT_CORRUPT] = "corrupt",
    [FAULT_HANG] = "hang",
    [FAULT_DIE] = "die",
};

/* Reads ":N", of at most nine digits, where text stands; without a ':' value stays. */
static bool read_number(const char **text, long *value) {
    if (**text != ':')
        return true;
    const size_t digits = strspn(*text + 1, "0123456789");
    if (digits < 1 || digits > 9)
        return false;
    *value = strtol(*text + 1, NULL, 10);
    *text += 1 + digits;
    return true;
}

bool fault_read(const char *text, struct fault *out) {
    long rank = 0, exchange = 1;
    const size_t length = strcspn(text, ":");
    *out = (struct fault){.kind = FAULT_NONE};
    for (int k = FAULT_CORRUPT; k <= FAULT_DIE; k++)
        if (strlen(kind_names[k]) == length && strncmp(text, kind_names[k], length) == 0)
            out->kind = (enum fault_kind)k;
    text += length;
    if (out->kind == FAULT_NONE || !read_number(&text, &rank) || !read_number(&text, &exchange) ||
        *text || exchange < 1)
        return false;
    out->rank = (int)rank;
    out->exchange = exchange;
    return true;
}

const char *fault_check(const char *text) {
    struct fault fault;
    return fault_read(text, &fault) ? NULL : "corrupt, hang or die, then [:RANK[:EXCHANGE]]";
}

static struct fault_transport *fault_of(const struct plan *plan) {
    return (struct fault_transport *)plan->transport;
}

static struct plan *inner_of(const struct plan *plan) {
    return ((const struct fault_plan *)plan)->inner;
}

static bool strikes(const struct fault_transport *f, enum fault_kind kind) {
    return f->armed && f->fault.kind == kind && *f->counter >= f->fault.exchange;
}

static enum status fault_alloc(struct transport *t, enum mem_category category, size_t bytes,
                               struct buffer *out) {
    return buffer_alloc(((struct fault_transport *)t)->inner, category, bytes, out);
}

static void fault_free(struct transport *t, struct buffer *buffer) {
    buffer_free(((struct fault_transport *)t)->inner, buffer);
}

static enum status fault_plan_create(struct transport *t, const struct plan_spec *spec,
                                     struct plan **out) {
    struct fault_plan *plan = calloc(1, sizeof *plan);
    enum status st = plan ? ST_OK : fail(ST_ENV, "out of memory for an exchange plan");
    st = group_agree(spec->group, st);
    if (st == ST_OK)
        st = plan_create(((struct fault_transport *)t)->inner, spec, &plan->inner);
    if (st != ST_OK) {
        free(plan);
        return st;
    }
    plan->base = *plan->inner;
    plan->base.transport = t;
    for (size_t i = 0; i < spec->n_recv && plan->victim.rows == 0; i++)
        if (spec->recv[i].peer != spec->group->rank && block_bytes(&spec->recv[i]) > 0)
            plan->victim = spec->recv[i];
    *out = &plan->base;
    return ST_OK;
}

static void fault_plan_free(struct plan *plan) {
    plan_free(inner_of(plan));
    free(plan);
}

static void fault_plan_start(struct plan *plan) {
    struct fault_transport *f = fault_of(plan);
    ++*f->counter;
    if (strikes(f, FAULT_DIE))
        raise(SIGKILL);
    while (strikes(f, FAULT_HANG))
        sleep(1);
    plan_start(inner_of(plan));
    memcpy(f->base.sent, f->inner->sent, sizeof f->base.sent);
}

static bool fault_plan_progress(struct plan *plan) {
    return plan_progress(inner_of(plan));
}

static void fault_plan_wait(struct plan *plan) {
    plan_wait(inner_of(plan));
    const struct block *victim = &((const struct fault_plan *)plan)->victim;
    if (!strikes(fault_of(plan), FAULT_CORRUPT) || victim->rows == 0)
        return;
    /* In an fp32 or bf16 element, the exponent's highest bit: the lowest byte would be lost among
     * rounding errors. */
    block_data(victim)[victim->row_bytes < 4 ? victim->row_bytes - 1 : 3] ^= 0x40;
}

static const char *fault_algorithm(const struct plan *plan) {
    return plan_algorithm(inner_of(plan));
}

static void fault_close(struct transport *t) {
    transport_close(((struct fault_transport *)t)->inner);
    free(t);
}

enum status fault_open(struct transport *inner, const struct fault *fault, int world_rank,
                       long *counter, struct transport **out) {
    static const struct transport_ops ops = {
        .alloc = fault_alloc,
        .free = fault_free,
        .plan_create = fault_plan_create,
        .plan_start = fault_plan_start,
        .plan_progress = fault_plan_progress,
        .plan_wait = fault_plan_wait,
        .plan_free = fault_plan_free,
        .algorithm = fault_algorithm,
        .close = fault_close,
    };
    struct fault_transport *f = calloc(1, sizeof *f);
    if (!f)
        return fail(ST_ENV, "out of memory for a transport");
    f->base = *inner;
    f->base.ops = &ops;
    f->inner = inner;
    f->fault = *fault;
    f->armed = fault->rank == world_rank;
    f->counter = counter;
    *out = &f->base;
    return ST_OK;
}
