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

/* Names of an enum, and of a table of pointers to rows that ends with NULL: the i-th is a choice.
 */
#define NUMBERS(choice, type, name_of, end)                                                        \
    static struct option_choice choice(size_t i) {                                                 \
        return i < end ? choose_number(name_of((enum type)i), i) : none;                           \
    }
#define ROWS(choice, table, label)                                                                 \
    static struct option_choice choice(size_t i) {                                                 \
        return table[i] ? choose_row(table[i]->label, table[i]) : none;                            \
    }

/* The same with "auto" before them. */
#define AUTO_OR(choice, others, automatic)                                                         \
    static struct option_choice choice(size_t i) {                                                 \
        return i > 0 ? others(i - 1) : choose_number("auto", automatic);                           \
    }

NUMBERS(bind_choice, bind_policy, bind_policy_name, BIND_POLICIES)
NUMBERS(policy_choice, wait_policy, wait_policy_name, WAIT_POLICIES)
AUTO_OR(wait_choice, policy_choice, WAIT_POLICIES)
NUMBERS(dtype_choice, dtype, dtype_name, DTYPES)
NUMBERS(inner_choice, usp_inner, usp_inner_name, USP_INNER_RING + 1)
NUMBERS(a_layout_choice, layout, layout_name, LAYOUTS)
AUTO_OR(layout_choice, a_layout_choice, LAYOUTS)
ROWS(method_choice, sp_methods, name)
ROWS(device_choice, compute_rows, device->name)
ROWS(a_transport_choice, transport_table, name)
AUTO_OR(transport_choice, a_transport_choice, 0)
ROWS(an_algorithm_choice, mpi_algorithm_table, name)
AUTO_OR(algorithm_choice, an_algorithm_choice, 0)
ROWS(sync_choice, sync_table, name)

static struct option_choice pass_choice(size_t i) {
    const enum op_pass pass = (enum op_pass)(i + OP_FORWARD);
    return pass <= OP_BOTH ? choose_number(op_pass_name(pass), pass) : none;
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
