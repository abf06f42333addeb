/* Options are the rows of options.def, commands those of commands.def; the names that options take
 * come from the tables of what is built in. */
#include "bench/commands/command_line.h"

#include "attn/compute/compute.h"
#include "attn/formula/method.h"
#include "attn/problem/mask.h"
#include "bench/commands/comm.h"
#include "bench/measure/synchronise.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/transport.h"
#include "comm/wrap/fault.h"
#include "plots/plot.h"
#include "results/compare/compare.h"
#include "results/export/export.h"

/* Bits of struct option's commands. */
enum {
#define COMMAND(id, row) id = 1 << COMMAND_##id,
#include "bench/options/commands.def"
#undef COMMAND
    RUNS = COMM | ATTN,            /* measure cases */
    RECORDS = COMM | ATTN | SUITE, /* write records */
    ALL = (1 << COMMANDS) - 1,
};

static const struct option_choice none;

static struct option_choice choose_row(const char *name, const void *row) {
    return (struct option_choice){.name = name, .row = row};
}

static struct option_choice choose_number(const char *name, size_t number) {
    return (struct option_choice){.name = name, .number = (int)number};
}

static struct option_choice bind_choice(size_t i) {
    return i < BIND_POLICIES ? choose_number(bind_policy_name((enum bind_policy)i), i) : none;
}

static struct option_choice wait_choice(size_t i) {
    if (i == 0)
        return choose_number("auto", WAIT_POLICIES);
    return i <= WAIT_POLICIES ? choose_number(wait_policy_name((enum wait_policy)(i - 1)), i - 1)
                              : none;
}

static struct option_choice dtype_choice(size_t i) {
    return i < DTYPES ? choose_number(dtype_name((enum dtype)i), i) : none;
}

static struct option_choice pass_choice(size_t i) {
    const enum op_pass pass = (enum op_pass)(i + OP_FORWARD);
    return pass <= OP_BOTH ? choose_number(op_pass_name(pass), pass) : none;
}

static struct option_choice inner_choice(size_t i) {
    return i <= USP_INNER_RING ? choose_number(usp_inner_name((enum usp_inner)i), i) : none;
}

static struct option_choice layout_choice(size_t i) {
    if (i == 0)
        return choose_number("auto", LAYOUTS);
    return i <= LAYOUTS ? choose_number(layout_name((enum layout)(i - 1)), i - 1) : none;
}

static struct option_choice method_choice(size_t i) {
    return sp_methods[i] ? choose_row(sp_methods[i]->name, sp_methods[i]) : none;
}

static struct option_choice device_choice(size_t i) {
    return compute_rows[i] ? choose_row(compute_rows[i]->device->name, compute_rows[i]) : none;
}

static struct option_choice sync_choice(size_t i) {
    return sync_table[i] ? choose_row(sync_table[i]->name, sync_table[i]) : none;
}

static struct option_choice transport_choice(size_t i) {
    const struct transport_row *row = i > 0 ? transport_table[i - 1] : NULL;
    return i == 0 ? choose_row("auto", NULL) : row ? choose_row(row->name, row) : none;
}

static struct option_choice algorithm_choice(size_t i) {
    const struct mpi_algorithm *a = i > 0 ? mpi_algorithm_table[i - 1] : NULL;
    return i == 0 ? choose_row("auto", NULL) : a ? choose_row(a->name, a) : none;
}

static struct option_choice comm_op_choice(size_t i) {
    return comm_op(i) ? choose_row(comm_op(i)->name, comm_op(i)) : none;
}

static struct option_choice layer_exporter_choice(size_t i) {
    size_t n;
    const struct exporter *const *list = export_list(&n);
    return i < n ? choose_row(list[i]->name, list[i]) : none;
}

/* Those of layers only come last. */
static struct option_choice exporter_choice(size_t i) {
    const struct option_choice choice = layer_exporter_choice(i);
    return choice.name && ((const struct exporter *)choice.row)->layers_only ? none : choice;
}

static struct option_choice comparison_choice(size_t i) {
    const struct compare_printer *printer = compare_printer(i);
    return printer ? choose_row(compare_printer_name(printer), printer) : none;
}

static struct option_choice picture_choice(size_t i) {
    return choose_number(plot_format_table[i].name, plot_format_table[i].bit);
}

#define SWEPT .list = true, .variable = true
#define CHOICES(...)                                                                               \
    .choices = (const struct option_choice[]) {                                                    \
        __VA_ARGS__, {                                                                             \
            0                                                                                      \
        }                                                                                          \
    }
#define SWITCH CHOICES({"on", true}, {"off", false})

static const struct option options[] = {
#define VARIANT(field_, ...)                                                                       \
    {.key = #field_,                                                                               \
     .offset = offsetof(struct options, field_),                                                   \
     .size = sizeof((struct options *)0)->field_,                                                  \
     .given = offsetof(struct options, given.field_),                                              \
     __VA_ARGS__},
#define OPTION(type_, field_, ...) VARIANT(field_, __VA_ARGS__)
#include "bench/options/options.def"
};

#define COMMAND(id, row) extern const struct command row;
#include "bench/options/commands.def"
#undef COMMAND

static const struct option_command *const commands[] = {
#define COMMAND(id, row) &row.word,
#include "bench/options/commands.def"
};

const struct option_table command_line = {
    .program = "spbench",
    .summary = "Benchmark and communication analysis for sequence parallelism",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .commands = commands,
    .n_commands = COMMANDS,
};
