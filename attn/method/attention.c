#include "attn/method/attention.h"

static const struct attention_ops *ops_of(const struct sp_method *method) {
#define LIST(name, runs) &runs##_ops,
    static const struct attention_ops *const of_methods[] = {SP_METHODS(LIST)};
    int i = 0;
    while (sp_methods[i] != method)
        i++;
    return of_methods[i];
}

enum status attention_open(struct attention *a, const struct problem *problem,
                           const struct sp_method *method, struct compute *compute,
                           struct transport *transport, struct group *sp,
                           struct mem_ledger *ledger) {
    *a = (struct attention){
        .problem = *problem,
        .method = sp_method_on(problem, method),
        .compute = compute,
        .dev = compute->dev,
        .transport = transport,
        .sp = sp,
        .ledger = ledger,
        .in_flight = {.overlap = problem->overlap, .trace = transport->trace},
    };
    a->ops = ops_of(a->method);
    const enum status st = group_agree(sp, tensors_alloc(a));
    return st == ST_OK ? a->ops->open(a) : st;
}

void attention_close(struct attention *a) {
    if (!a->method)
        return;
    a->ops->close(a);
    tensors_free(a);
    *a = (struct attention){0};
}
