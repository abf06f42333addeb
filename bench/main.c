/* spbench: reads the command line and hands over to a command. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/output.h"
#include "base/paths.h"
#include "bench/commands/command_line.h"
#include "bench/commands/dry_run.h"
#include "bench/launch/build_info.h"
#include "bench/launch/launch_env.h"
#include "bench/launch/rank/ranks.h"
#include "bench/launch/supervisor/supervisor.h"
#include "bench/options/command.h"

/* --help, --version and --list need no command. */
static bool answer_flags(const struct options *o, const char *data_dir) {
    if (o->help)
        opts_help(&command_line, opts_command(o->line), stdout);
    else if (o->version)
        printf("spbench %s%s%s\n", build_info.version, build_info.git[0] ? " " : "",
               build_info.git);
    else if (o->list)
        list_print(data_dir, stdout);
    else
        return false;
    return true;
}

static int run_command(const struct options *o, int argc, char **argv, const char *data_dir,
                       const struct launch_env *launch) {
    const struct command *row = o->command;
    const bool local = row->local && (!row->is_local || row->is_local(o));
    const bool listed = row->kind && o->dry_run;
    if ((local || listed) && launch->rank > 0)
        return ST_OK; /* said once */
    if (local)
        return (int)row->local(o, data_dir);
    const struct supervised what = {o, argc, argv, data_dir};
    if (listed)
        return (int)dry_run(&what, launch);
    if (row->launch)
        return launch->is_rank ? (int)fail(ST_USAGE, "this command starts its ranks itself; run it "
                                                     "without mpiexec")
                               : row->launch(&what);
    if (launch->is_rank)
        return (int)ranks_main(o, argc, argv, data_dir, launch);
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
    const struct launch_env launch = launch_env_read();
    struct options options = {0};
    char data_dir[4096];
    log_set_rank(launch.rank, 0);
    enum status st = path_data_dir(data_dir, sizeof data_dir);
    /* All ranks find the same in what follows until there is MPI. */
    const int silent = launch.rank > 0 ? LOG_SILENT : 0;
    log_set_rank(launch.rank, silent);
    if (st == ST_OK)
        st = options_parse(&command_line, argc, argv, &options);
    int code = (int)st;
    if (st == ST_OK) {
        log_set_rank(launch.rank, silent ? silent : options.quiet);
        if (!answer_flags(&options, data_dir))
            code = run_command(&options, argc, argv, data_dir, &launch);
    }
    options_free(&options);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == ST_OK)
        code = (int)output_failed(stdout, "the output");
    return code;
}
