#include "comm/transport/transport.h"

#include <stdio.h>
#include <string.h>

#include "comm/transport/hybrid.h"
#include "comm/transport/mpi/mpi.h"
#include "comm/transport/shm/shm.h"
#include "comm/wrap/traffic.h"

const struct transport_row transport_table[] = {
    {"shm", "copies straight from the sender's memory, on one host", shm_transport_available,
     shm_transport_reaches, shm_transport_open, false},
    {"hybrid", "shm within a host, mpi between hosts", hybrid_transport_available,
     hybrid_transport_reaches, hybrid_transport_open, false},
    {"mpi", "MPI messages over strided blocks", mpi_transport_available, mpi_transport_reaches,
     mpi_transport_open, true},
    {0},
};

/* Appends "NAME: WHY" to the reasons in text. */
static void add_reason(char *text, size_t size, const char *name, const char *why) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s: %s", used > 0 ? "; " : "", name, why);
}

static enum status open_row(const struct transport_row *row, const struct transport_config *config,
                            const char *chosen_as, struct transport **out) {
    enum status st = row->open(config, out);
    st = group_agree(config->world, st);
    if (st != ST_OK) {
        transport_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->name = row->name;
    snprintf((*out)->chosen_as, sizeof(*out)->chosen_as, "%s", chosen_as);
    return ST_OK;
}

enum status transport_open(const char *name, const struct transport_config *config,
                           struct transport **out) {
    const bool any = strcmp(name, "auto") == 0;
    const bool named = any && strcmp(config->algorithm, "auto") != 0;
    char reasons[sizeof((struct transport *)0)->chosen_as] = "";
    *out = NULL;
    for (const struct transport_row *row = transport_table; row->name; row++) {
        char why[160] = "";
        if (!any && strcmp(row->name, name) != 0)
            continue;
        if (named && !row->mpi_algorithms) {
            add_reason(reasons, sizeof reasons, row->name, "--mpi-algo names an algorithm of mpi");
            continue;
        }
        const bool reached =
            row->available(why, sizeof why) && row->reaches(config, why, sizeof why);
        add_reason(reasons, sizeof reasons, row->name, why);
        if (reached)
            return open_row(row, config, any ? reasons : "", out);
    }
    return fail(ST_ENV, "transport %s cannot be used: %s", name,
                reasons[0] ? reasons : "there is none of that name");
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
    const enum status st = t->ops->plan_create(t, spec, out);
    if (st == ST_OK && t->log)
        traffic_planned(t->log, spec, *out);
    return st;
}

void plan_start(struct plan *plan) {
    if (plan->transport->log)
        traffic_started(plan->transport->log, plan);
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
    if (plan->transport->log)
        traffic_waited(plan->transport->log);
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
