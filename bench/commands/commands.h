/* The functions behind the rows of command_rows: bench/cmd_*.c. */
#ifndef SPB_BENCH_COMMANDS_COMMANDS_H
#define SPB_BENCH_COMMANDS_COMMANDS_H

#include "bench/commands/command.h"

enum status comm_ranks(struct run *run);
enum status comm_cases(const struct opts *opts, const char *data_dir, int ranks, FILE *out,
                       size_t *runnable);

enum status attn_ranks(struct run *run);
enum status attn_cases(const struct opts *opts, const char *data_dir, int ranks, FILE *out,
                       size_t *runnable);

enum status topo_ranks(struct run *run);
enum status topo_local(const struct opts *opts, const char *data_dir);
bool topo_is_local(const struct opts *opts); /* a described machine has no ranks */

enum status info_local(const struct opts *opts, const char *data_dir);
enum status compare_local(const struct opts *opts, const char *data_dir);
enum status plot_local(const struct opts *opts, const char *data_dir);
enum status report_local(const struct opts *opts, const char *data_dir);

int suite_launch(const struct supervised *what);

/* Draws the pictures of a run folder into out_dir (NULL: its plots/). formats: PLOT_* bits. */
enum status plot_folder(const char *run_dir, const char *out_dir, unsigned formats,
                        const char *data_dir);

/* --list: every name that an option takes from a table. */
void list_print(const char *data_dir, FILE *out);

#endif
