/* The commands and the options of spbench: the one table of what a command line may say. */
#ifndef SPB_BENCH_COMMANDS_COMMAND_LINE_H
#define SPB_BENCH_COMMANDS_COMMAND_LINE_H

#include <stdio.h>

#include "base/options/options.h"

/* Its commands begin struct commands, in the order of their enum (bench/options/command.h). */
extern const struct option_table command_line;

/* --list: the names that options take, from the tables they come from. */
void list_print(const char *data_dir, FILE *out);

#endif
