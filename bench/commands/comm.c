/* spbench comm: exchanges alone. Its cases are of two kinds, which differ in how they are resolved
 * and measured. */
#include "bench/commands/comm.h"

#include <stddef.h>

#include "bench/commands/run_cases.h"
#include "bench/options/command.h"
#include "comm/op/op.h"

/* What is no exchange of a group. */
static const struct {
    struct op_row op;
    const struct case_kind *kind;
} special[] = {
    {{.name = "pairs", .help = "latency and bandwidth of every two ranks, alone and all at once"},
     &pair_cases},
};

enum { SPECIAL = sizeof special / sizeof special[0] };

const struct op_row *comm_op(size_t i) {
    size_t n = 0;
    while (op_table[n])
        n++;
    return i < n ? op_table[i] : i - n < SPECIAL ? &special[i - n].op : NULL;
}

/* A case of either kind. */
struct comm_any {
    const struct case_kind *kind;
    max_align_t c[]; /* kind->size bytes */
};

static const struct case_kind *kind_of(const struct op_row *op) {
    for (size_t i = 0; i < SPECIAL; i++)
        if (&special[i].op == op)
            return special[i].kind;
    return &exchange_cases;
}

static enum status resolve(const struct case_source *from, struct options *options, void *out,
                           char *why, size_t why_size) {
    struct comm_any *any = out;
    any->kind = kind_of(options->op);
    return any->kind->resolve(from, options, any->c, why, why_size);
}

static const size_t *title(const void *c, char *out, size_t size) {
    const struct comm_any *any = c;
    return any->kind->title(any->c, out, size);
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

static enum status run(struct session *s, const void *c) {
    const struct comm_any *any = c;
    return any->kind->run(s, any->c);
}

static struct case_kind any_kind(void) {
    size_t most = exchange_cases.size;
    for (size_t i = 0; i < SPECIAL; i++)
        if (special[i].kind->size > most)
            most = special[i].kind->size;
    return (struct case_kind){
        .size = sizeof(struct comm_any) + most,
        .resolve = resolve,
        .title = title,
        .remark = remark,
        .forecast = forecast,
        .run = run,
    };
}

static enum status ranks(struct run *r) {
    const struct case_kind kind = any_kind();
    return cases_run(&kind, r);
}

static enum status cases(const struct options *options, const char *data_dir, int n,
                         struct case_list *list, size_t *runnable) {
    const struct case_kind kind = any_kind();
    return cases_visit(&kind, options, data_dir, n, list, runnable);
}

const struct command comm_command = {
    .word = {"comm", "Measures exchanges alone, by message size or by model shape", "", 0, 0},
    .ranks = ranks,
    .cases = cases,
};
