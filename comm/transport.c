#include "comm/transport.h"

#include <string.h>

#include "comm/mpi_transport.h"

const struct transport_row transport_table[] = {
    {"mpi", "MPI messages over strided blocks", mpi_transport_available, mpi_transport_open},
    {0},
};

enum status transport_open(const char *name, const struct transport_config *config,
                           struct transport **out) {
    const bool any = strcmp(name, "auto") == 0;
    char why[256] = "no such transport";
    for (const struct transport_row *row = transport_table; row->name; row++) {
        if (!any && strcmp(row->name, name) != 0)
            continue;
        if (row->available(why, sizeof why))
            return row->open(config, out);
    }
    return fail(ST_ENV, "transport %s is not available: %s", name, why);
}

void transport_close(struct transport *t) {
    if (t)
        t->ops->close(t);
}

enum status buffer_alloc(struct transport *t, enum mem_category category, size_t bytes,
                         struct buffer *out) {
    *out = (struct buffer){0};
    return t->ops->alloc(t, category, bytes, out);
}

void buffer_free(struct transport *t, struct buffer *buffer) {
    if (buffer->data)
        t->ops->free(t, buffer);
    *buffer = (struct buffer){0};
}

enum status plan_create(struct transport *t, const struct plan_spec *spec, struct plan **out) {
    *out = NULL;
    return t->ops->plan_create(t, spec, out);
}

void plan_start(struct plan *plan) {
    plan->started = true;
    plan->transport->ops->plan_start(plan);
}

bool plan_progress(struct plan *plan) {
    return !plan->started || plan->transport->ops->plan_progress(plan);
}

void plan_wait(struct plan *plan) {
    if (!plan->started)
        return;
    plan->transport->ops->plan_wait(plan);
    plan->started = false;
}

void plan_run(struct plan *plan) {
    plan_start(plan);
    plan_wait(plan);
}

void plan_free(struct plan *plan) {
    if (plan)
        plan->transport->ops->plan_free(plan);
}

const char *plan_algorithm(const struct plan *plan) {
    return plan->transport->ops->algorithm(plan);
}
