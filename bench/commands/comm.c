/* spbench comm: exchanges alone. Its cases are of two kinds, which differ in how they are resolved
 * and measured. */
#include "bench/commands/comm.h"

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

static const struct case_kind *kind(const struct options *options) {
    for (size_t i = 0; i < SPECIAL; i++)
        if (&special[i].op == options->op)
            return special[i].kind;
    return &exchange_cases;
}

const struct command comm_command = {
    .word = {"comm", "Measures exchanges alone, by message size or by model shape", "", 0, 0},
    .ranks = run_cases,
    .kind = kind,
};
