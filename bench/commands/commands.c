#include "bench/commands/commands.h"

#include "bench/options/table.h"

const struct command_row command_rows[COMMANDS] = {
    [COMMAND_INFO] = {.local = info_local},
    [COMMAND_TOPO] = {.local = topo_local,
                      .is_local = topo_is_local,
                      .ranks = topo_ranks,
                      .document = true},
    [COMMAND_COMM] = {.ranks = comm_ranks, .cases = comm_cases},
    [COMMAND_ATTN] = {.ranks = attn_ranks, .cases = attn_cases},
    [COMMAND_COMPARE] = {.local = compare_local},
    [COMMAND_PLOT] = {.local = plot_local},
    [COMMAND_REPORT] = {.local = report_local},
    [COMMAND_SUITE] = {.launch = suite_launch},
};
