#include "bench/launch/supervisor/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "base/paths.h"
#include "bench/launch/launch_dir.h"
#include "bench/launch/launch_env.h"
#include "bench/launch/launcher.h"
#include "bench/launch/rank/watchdog.h"
#include "bench/launch/supervisor/ending.h"
#include "bench/launch/supervisor/lines.h"
#include "bench/launch/supervisor/process.h"
#include "bench/launch/supervisor/shortage.h"
#include "bench/options/command.h"

/* Ranks that were told to end get this long before they are killed; a launcher then gets this long
 * to notice and to remove what it put into the temporary folder. */
#define KILL_AFTER_S 1.0
#define LAUNCHER_AFTER_S 3.0

/* What the launcher prints, on one of its streams. */
struct speech {
    int fd; /* -1: its end was read */
    struct lines lines;
    bool (*is_banner)(struct obituary *obituary, const char *line);
    struct obituary *obituary;
    struct rank_board *board;
};

enum { SPEECHES = 2 }; /* stdout, stderr */

/* One running launch. */
struct launch {
    struct run_output *output; /* records; or ... */
    FILE *document;            /* ... a document; both NULL: dropped */
    struct rank_board board;
    struct lines results; /* of rank 0 */
    struct speech speech[SPEECHES];
    struct obituary obituary;
    int wire, signals;
    pid_t launcher;
    int wait_status;
    bool ended; /* the launcher */

    double timeout_s;
    double stop_at, kill_at; /* on clock_s(); 0: never */
    bool timed_out, ranks_killed;
    int caught;           /* the signal that ends us, 0: none */
    enum status delivery; /* results could not be printed or saved */
};

static enum status take_result(void *context, const char *line, size_t length) {
    struct launch *l = context;
    if (l->output)
        return run_output_line(l->output, line, length);
    /* A document may be a picture, with zeros in it. */
    if (l->document &&
        (fwrite(line, 1, length, l->document) != length || fputc('\n', l->document) == EOF))
        return output_failed(l->document, "the output");
    return ST_OK;
}

/* stdout is for results: what a launcher prints there goes to stderr, less what we say better. What
 * ranks said of a timeout may not have come this far, so that only what did counts as said. */
static enum status take_launcher_line(void *context, const char *line, size_t length) {
    const struct speech *speech = context;
    (void)length;
    if (speech->is_banner(speech->obituary, line) || !*line)
        return ST_OK;
    fprintf(stderr, "%s\n", line);
    const int rank = watchdog_read(line);
    if (rank >= 0 && rank < speech->board->n)
        speech->board->ranks[rank].reported = true;
    return ST_OK;
}

static void kill_ranks(struct launch *l) {
    process_signal_descendants(SIGKILL, l->launcher);
    l->ranks_killed = true;
    l->kill_at = clock_s() + LAUNCHER_AFTER_S;
}

/* Asks the launcher to end its ranks, and gives it a moment. At the deadline nobody is asked any
 * more: the launcher may already be at it, since some ranks ended by themselves, and Open MPI's
 * crashes when a signal comes then. */
static void stop(struct launch *l) {
    if (l->kill_at > 0)
        return;
    l->stop_at = 0;
    l->kill_at = clock_s() + KILL_AFTER_S;
    if (l->timed_out)
        kill_ranks(l);
    else if (!l->ended)
        kill(l->launcher, SIGTERM);
}

static void deliver(struct launch *l, enum status st) {
    if (st == ST_OK || l->delivery != ST_OK)
        return;
    l->delivery = st;
    stop(l);
}

static void read_results(struct launch *l) {
    bool end;
    deliver(l, lines_read(&l->results, l->wire, take_result, l, &end));
}

static void read_speech(struct speech *speech) {
    bool end;
    if (speech->fd < 0)
        return;
    lines_read(&speech->lines, speech->fd, take_launcher_line, speech, &end);
    if (!end)
        return;
    close(speech->fd); /* poll(2) would report its end for ever */
    speech->fd = -1;
}

/* Children may be orphans that we adopted; only the launcher's end counts. */
static void reap(struct launch *l) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == l->launcher) {
            l->ended = true;
            l->wait_status = status;
        }
}

static void read_signals(struct launch *l) {
    struct signalfd_siginfo info;
    while (read(l->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            reap(l);
            continue;
        }
        l->caught = (int)info.ssi_signo;
        stop(l);
    }
}

static void heed_deadlines(struct launch *l) {
    const double now = clock_s();
    if (l->stop_at > 0 && now >= l->stop_at) {
        l->timed_out = true;
        stop(l);
    }
    if (l->kill_at == 0 || now < l->kill_at)
        return;
    if (!l->ranks_killed) {
        kill_ranks(l);
        return;
    }
    process_signal_descendants(SIGKILL, 0);
    l->kill_at = now + KILL_AFTER_S;
}

static int wait_ms(const struct launch *l) {
    const double at = l->kill_at > 0 ? l->kill_at : l->stop_at;
    if (at <= 0)
        return -1;
    const double ms = (at - clock_s()) * 1e3 + 1;
    return ms < 0 ? 0 : ms > 60e3 ? 60000 : (int)ms;
}

static void watch(struct launch *l) {
    while (!l->ended) {
        struct pollfd fds[] = {
            {.fd = l->signals, .events = POLLIN},
            {.fd = l->wire, .events = POLLIN},
            {.fd = l->speech[0].fd, .events = POLLIN},
            {.fd = l->speech[1].fd, .events = POLLIN},
        };
        poll(fds, sizeof fds / sizeof fds[0], wait_ms(l));
        if (fds[1].revents)
            read_results(l);
        for (int i = 0; i < SPEECHES; i++)
            if (fds[2 + i].revents)
                read_speech(&l->speech[i]);
        if (fds[0].revents)
            read_signals(l);
        heed_deadlines(l);
    }
    /* A launcher that was killed may have left ranks. What they wrote waits in the pipes. */
    while (process_signal_descendants(SIGKILL, 0) > 0)
        poll(NULL, 0, 10);
    reap(l);
    read_results(l);
    for (int i = 0; i < SPEECHES; i++) {
        read_speech(&l->speech[i]);
        lines_finish(&l->speech[i].lines, take_launcher_line, &l->speech[i]);
    }
    if (l->document) /* an unfinished record is that of a rank that died, and no result */
        deliver(l, lines_finish(&l->results, take_result, l));
}

static enum status open_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(ST_ENV, "cannot start ranks: %s", strerror(errno));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *reading = ends[0];
    *writing = ends[1];
    return ST_OK;
}

static enum status start(struct launch *l, const struct supervised *what, int ranks) {
    char self[4096], count[16];
    enum status st = path_self(self, sizeof self);
    if (st != ST_OK)
        return st;
    char **argv = calloc((size_t)what->argc + 5, sizeof *argv);
    int out[SPEECHES] = {-1, -1};
    if (!argv)
        return fail(ST_ENV, "out of memory");
    for (int i = 0; i < SPEECHES && st == ST_OK; i++)
        st = open_pipe(&l->speech[i].fd, &out[i]);
    snprintf(count, sizeof count, "%d", ranks);
    char *const head[] = {(char *)launcher_path(), SPBENCH_MPIEXEC_N, count, self};
    memcpy(argv, head, sizeof head);
    if (what->argc > 1)
        memcpy(argv + 4, what->argv + 1, (size_t)(what->argc - 1) * sizeof *argv);
    if (st == ST_OK)
        st = process_start(&(struct process_spec){argv, out[0], out[1]}, &l->launcher);
    for (int i = 0; i < SPEECHES; i++)
        if (out[i] >= 0)
            close(out[i]);
    free(argv);
    if (st == ST_OK && l->timeout_s > 0)
        l->stop_at = clock_s() + l->timeout_s + 2 * WATCHDOG_GRACE_S;
    return st;
}

/* What is ignored stays so: a run under nohup(1) outlives its terminal. */
static int catch_signals(sigset_t *before) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&mine, ends[i]);
    }
    sigprocmask(SIG_BLOCK, &mine, before);
    return signalfd(-1, &mine, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int finish(const struct launch *l) {
    if (l->caught)
        return 128 + l->caught;
    if (l->delivery != ST_OK)
        return (int)l->delivery;
    const struct ending ending = {
        .board = &l->board,
        .obituary = l->obituary,
        .wait_status = l->wait_status,
        .timed_out = l->timed_out,
        .timeout_s = l->timeout_s,
    };
    return (int)ending_explain(&ending);
}

/* One mpiexec. */
static int launch(const struct supervised *what, int ranks, int index, struct run_output *output,
                  FILE *document) {
    struct launch l = {.output = output, .document = document, .timeout_s = what->options->timeout};
    for (int i = 0; i < SPEECHES; i++)
        l.speech[i] = (struct speech){.fd = -1,
                                      .is_banner = i == 0 ? obituary_read : obituary_read_stderr,
                                      .obituary = &l.obituary,
                                      .board = &l.board};
    sigset_t before;
    l.signals = catch_signals(&before);
    struct launch_dir dir;
    enum status st = launch_dir_open(&dir, index);
    l.wire = dir.wire;
    if (st == ST_OK)
        st = shortage_try(ranks, l.timeout_s > 0);
    if (st == ST_OK)
        st = rank_board_create(&l.board, dir.path, ranks);
    if (st == ST_OK)
        st = start(&l, what, ranks);
    int code = (int)st;
    if (st == ST_OK) {
        watch(&l);
        code = finish(&l);
    }
    rank_board_close(&l.board);
    launch_dir_close(&dir);
    lines_free(&l.results);
    for (int i = 0; i < SPEECHES; i++) {
        lines_free(&l.speech[i].lines);
        if (l.speech[i].fd >= 0)
            close(l.speech[i].fd);
    }
    close(l.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

enum status supervise_cases(const struct supervised *what, struct case_list *list) {
    const struct options *o = what->options;
    enum status worst = ST_OK;
    size_t runnable = 0;
    if (!o->command->kind)
        return ST_OK;
    for (size_t i = 0; i < o->ranks.n; i++) {
        const enum status st =
            cases_visit(o, what->data_dir, (int)o->ranks.v[i].i, list, &runnable);
        worst = worst == ST_OK ? st : worst;
    }
    if (worst == ST_OK && runnable == 0)
        return fail(ST_USAGE, "no case can run; %s",
                    o->quiet ? "without --quiet the reasons are shown" : "the reasons stand above");
    return worst;
}

int supervise(const struct supervised *what, struct run_output *output, FILE *document) {
    const struct options *o = what->options;
    const int launches = o->command->document ? 1 : o->launches;
    process_adopt();
    launcher_prepare();
    int code = ST_OK;
    for (size_t i = 0; code == ST_OK && i < o->ranks.n; i++)
        for (int k = 1; code == ST_OK && k <= launches; k++)
            code = launch(what, (int)o->ranks.v[i].i, launches > 1 ? k : 0, output, document);
    return code;
}

int supervise_command(const struct supervised *what) {
    enum status st = supervise_cases(what, NULL);
    if (st != ST_OK)
        return (int)st;
    if (what->options->command->document) {
        const int code = supervise(what, NULL, stdout);
        return code != ST_OK || fflush(stdout) == 0 ? code
                                                    : (int)output_failed(stdout, "the output");
    }
    const struct run_output_config config = {what->options, what->argc, what->argv, stdout};
    struct run_output *output;
    st = run_output_open(&config, &output);
    if (st != ST_OK)
        return (int)st;
    const int code = supervise(what, output, NULL);
    const enum status closed = run_output_close(output);
    return code == ST_OK ? (int)closed : code;
}
