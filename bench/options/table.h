/* THE option table: every command and every option of spbench. */
#ifndef SPB_BENCH_OPTIONS_TABLE_H
#define SPB_BENCH_OPTIONS_TABLE_H

#include "base/options/options.h"

/* Index into the table's commands, and bit of struct option's commands. */
enum command {
    COMMAND_INFO,
    COMMAND_TOPO,
    COMMAND_COMM,
    COMMAND_ATTN,
    COMMAND_COMPARE,
    COMMAND_PLOT,
    COMMAND_REPORT,
    COMMAND_SUITE,
    COMMANDS
};

/* Static storage, never freed. */
const struct option_table *options_table(void);

#endif
