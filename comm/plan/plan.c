#include "comm/plan/plan.h"

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
