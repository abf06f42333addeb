/* spbench comm: its cases are of two kinds, which differ in how they are resolved and measured. */
#include "bench/cases/comm_kinds.h"

#include <stddef.h>
#include <string.h>

#include "bench/commands/commands.h"
#include "bench/measure/setup.h"
#include "comm/op/op.h"

static const struct {
    const char *op, *help;
    const struct case_kind *kind;
} special[] = {
    {"pairs", "latency and bandwidth of every two ranks, alone and all at once", &pair_cases},
};

enum { SPECIAL = sizeof special / sizeof special[0] };

static size_t exchanges(void) {
    size_t n = 0;
    while (op_table[n])
        n++;
    return n;
}

const char *comm_op_name(size_t i) {
    const size_t n = exchanges();
    return i < n ? op_table[i]->name : i - n < SPECIAL ? special[i - n].op : NULL;
}

const char *comm_op_help(size_t i) {
    const size_t n = exchanges();
    return i < n ? op_table[i]->help : i - n < SPECIAL ? special[i - n].help : NULL;
}

/* A case of either kind. */
struct comm_any {
    const struct case_kind *kind;
    max_align_t c[]; /* kind->size bytes */
};

static const struct case_kind *kind_of(const char *op) {
    for (size_t i = 0; i < SPECIAL; i++)
        if (strcmp(special[i].op, op) == 0)
            return special[i].kind;
    return &exchange_cases;
}

static enum status resolve(const struct case_source *from, size_t i, void *out, char *why,
                           size_t why_size) {
    struct comm_any *any = out;
    any->kind = kind_of(sweep_str(from->sweep, i, "op"));
    return any->kind->resolve(from, i, any->c, why, why_size);
}

static bool comes_to(const void *c, const char *key, char *out, size_t size) {
    const struct comm_any *any = c;
    return any->kind->comes_to && any->kind->comes_to(any->c, key, out, size);
}

static void title(const void *c, char *out, size_t size) {
    const struct comm_any *any = c;
    any->kind->title(any->c, out, size);
}

static void remark(const void *c, char *out, size_t size) {
    const struct comm_any *any = c;
    if (any->kind->remark)
        any->kind->remark(any->c, out, size);
}

static enum status forecast(const void *c, struct forecast *out) {
    const struct comm_any *any = c;
    return any->kind->forecast(any->c, out);
}

static enum status run(struct session *s, size_t i, const void *c) {
    const struct comm_any *any = c;
    return any->kind->run(s, i, any->c);
}

static struct case_kind any_kind(void) {
    size_t most = exchange_cases.size;
    for (size_t i = 0; i < SPECIAL; i++)
        if (special[i].kind->size > most)
            most = special[i].kind->size;
    return (struct case_kind){
        .size = sizeof(struct comm_any) + most,
        .resolve = resolve,
        .comes_to = comes_to,
        .title = title,
        .remark = remark,
        .forecast = forecast,
        .run = run,
    };
}

enum status comm_ranks(struct run *r) {
    const struct case_kind kind = any_kind();
    return cases_run(&kind, r);
}

enum status comm_cases(const struct opts *opts, const char *data_dir, int ranks, FILE *out,
                       size_t *runnable) {
    const struct case_kind kind = any_kind();
    return cases_visit(&kind, opts, data_dir, ranks, out, runnable);
}
