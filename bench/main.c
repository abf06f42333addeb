/* spbench: reads the command line and hands over to a command. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options/options.h"
#include "base/output.h"
#include "base/paths.h"
#include "bench/commands/build_info.h"
#include "bench/commands/commands.h"
#include "bench/launch/launch.h"
#include "bench/launch/rank/ranks.h"
#include "bench/launch/supervisor/supervisor.h"
#include "bench/options/table.h"

/* --help, --version and --list need no command. */
static bool answer_flags(const struct opts *opts, const char *data_dir) {
    if (opts_flag(opts, "help"))
        opts_help(options_table(), opts_command(opts), stdout);
    else if (opts_flag(opts, "version"))
        printf("spbench %s%s%s\n", build_info.version, build_info.git[0] ? " " : "",
               build_info.git);
    else if (opts_flag(opts, "list"))
        list_print(data_dir, stdout);
    else
        return false;
    return true;
}

static int run_command(const struct opts *opts, int argc, char **argv, const char *data_dir,
                       const struct launch *launch) {
    const struct command_row *row = &command_rows[opts_command(opts)];
    const bool local = row->local && (!row->is_local || row->is_local(opts));
    const bool listed = row->cases && opts_flag(opts, "dry-run");
    if ((local || listed) && launch->rank > 0)
        return ST_OK; /* said once */
    if (local)
        return (int)row->local(opts, data_dir);
    const struct supervised what = {opts, argc, argv, data_dir};
    const char *format = listed ? opts_str(opts, "output", 0) : "table";
    if (strcmp(format, "table") != 0 && strcmp(format, "jsonl") != 0)
        return (int)fail(ST_USAGE, "--dry-run lists as -o table or jsonl, not %s", format);
    size_t runnable = 0;
    if (listed && launch->is_rank) /* the launcher has said how many ranks there are */
        return (int)row->cases(opts, data_dir, launch->size, stdout, &runnable);
    if (listed)
        return (int)supervise_cases(&what, stdout);
    if (row->launch)
        return launch->is_rank ? (int)fail(ST_USAGE, "this command starts its ranks itself; run it "
                                                     "without mpiexec")
                               : row->launch(&what);
    if (launch->is_rank)
        return (int)ranks_main(opts, argc, argv, data_dir, launch);
    return supervise_command(&what);
}

/* Files opened later must not take the place of a closed stream. Results cannot be written to one;
 * messages that nobody wants can. */
static void open_closed_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    open_closed_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that left ends what writes to it, which may have ranks */
    const struct launch launch = launch_detect();
    struct opts *opts = NULL;
    char data_dir[4096];
    log_set_rank(launch.rank, 0);
    enum status st = path_data_dir(data_dir, sizeof data_dir);
    /* All ranks find the same in what follows until there is MPI. */
    const int silent = launch.rank > 0 ? LOG_SILENT : 0;
    log_set_rank(launch.rank, silent);
    if (st == ST_OK)
        st = opts_parse(options_table(), argc, argv, &opts);
    int code = (int)st;
    if (st == ST_OK) {
        log_set_rank(launch.rank, silent ? silent : opts_flag(opts, "quiet"));
        if (!answer_flags(opts, data_dir))
            code = run_command(opts, argc, argv, data_dir, &launch);
    }
    opts_free(opts);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == ST_OK)
        code = (int)output_failed(stdout, "the output");
    return code;
}
