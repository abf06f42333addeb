#include "bench/supervisor.h"

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

#include "base/paths.h"
#include "bench/build_info.h"
#include "bench/command.h"
#include "bench/ending.h"
#include "bench/launch.h"
#include "bench/launch_dir.h"
#include "bench/lines.h"
#include "bench/process.h"
#include "bench/watchdog.h"

/* Ranks that were told to end get this long before they are killed. */
#define KILL_AFTER_S 1.0

/* One running launch. */
struct session {
    struct report *report; /* records; or ... */
    FILE *document;        /* ... a document; both NULL: dropped */
    struct roster roster;
    struct lines results, said; /* of rank 0, of the launcher */
    struct obituary obituary;
    int wire, launcher_out, signals;
    pid_t launcher;
    int wait_status;
    bool ended; /* the launcher */

    double timeout_s;
    double stop_at, kill_at; /* on clock_s(); 0: never */
    bool timed_out;
    int caught;           /* the signal that ends us, 0: none */
    enum status delivery; /* results could not be printed or saved */
};

static enum status take_result(void *context, const char *line, size_t length) {
    struct session *s = context;
    if (s->report)
        return report_line(s->report, line, length);
    if (s->document && fprintf(s->document, "%s\n", line) < 0)
        return fail(ST_ENV, "the output could not be written: %s", strerror(errno));
    return ST_OK;
}

/* stdout is for results: what a launcher prints there goes to stderr, less what we say better. */
static enum status take_launcher_line(void *context, const char *line, size_t length) {
    struct session *s = context;
    (void)length;
    if (!obituary_read(&s->obituary, line))
        fprintf(stderr, "%s\n", line);
    return ST_OK;
}

/* Asks the launcher to end its ranks, and gives it a moment. */
static void stop(struct session *s) {
    if (s->kill_at > 0)
        return;
    s->stop_at = 0;
    s->kill_at = clock_s() + KILL_AFTER_S;
    if (!s->ended)
        kill(s->launcher, SIGTERM);
}

static void deliver(struct session *s, enum status st) {
    if (st == ST_OK || s->delivery != ST_OK)
        return;
    s->delivery = st;
    stop(s);
}

static void read_results(struct session *s) {
    bool end;
    deliver(s, lines_read(&s->results, s->wire, take_result, s, &end));
}

static void read_launcher(struct session *s) {
    bool end;
    lines_read(&s->said, s->launcher_out, take_launcher_line, s, &end);
    if (!end)
        return;
    close(s->launcher_out); /* poll(2) would report its end for ever */
    s->launcher_out = -1;
}

/* Children may be orphans that we adopted; only the launcher's end counts. */
static void reap(struct session *s) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == s->launcher) {
            s->ended = true;
            s->wait_status = status;
        }
}

static void read_signals(struct session *s) {
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            reap(s);
            continue;
        }
        s->caught = (int)info.ssi_signo;
        stop(s);
    }
}

static void heed_deadlines(struct session *s) {
    const double now = clock_s();
    if (s->stop_at > 0 && now >= s->stop_at) {
        s->timed_out = true;
        stop(s);
    }
    if (s->kill_at > 0 && now >= s->kill_at) {
        process_signal_descendants(SIGKILL);
        s->kill_at = now + KILL_AFTER_S;
    }
}

static int wait_ms(const struct session *s) {
    const double at = s->kill_at > 0 ? s->kill_at : s->stop_at;
    if (at <= 0)
        return -1;
    const double ms = (at - clock_s()) * 1e3 + 1;
    return ms < 0 ? 0 : ms > 60e3 ? 60000 : (int)ms;
}

static void watch(struct session *s) {
    while (!s->ended) {
        struct pollfd fds[] = {
            {.fd = s->signals, .events = POLLIN},
            {.fd = s->wire, .events = POLLIN},
            {.fd = s->launcher_out, .events = POLLIN},
        };
        poll(fds, sizeof fds / sizeof fds[0], wait_ms(s));
        if (fds[1].revents)
            read_results(s);
        if (fds[2].revents)
            read_launcher(s);
        if (fds[0].revents)
            read_signals(s);
        heed_deadlines(s);
    }
    /* A launcher that was killed may have left ranks. What they wrote waits in the pipes. */
    while (process_signal_descendants(SIGKILL) > 0)
        poll(NULL, 0, 10);
    reap(s);
    read_results(s);
    if (s->launcher_out >= 0)
        read_launcher(s);
    lines_finish(&s->said, take_launcher_line, s);
    if (s->document) /* an unfinished record is that of a rank that died, and no result */
        deliver(s, lines_finish(&s->results, take_result, s));
}

static const char *launcher_path(void) {
    const char *named = getenv("SPBENCH_MPIEXEC");
    return named && *named ? named : SPBENCH_MPIEXEC;
}

static enum status start(struct session *s, const struct supervised *what, int ranks) {
    char self[4096], count[16];
    const enum status st = path_self(self, sizeof self);
    if (st != ST_OK)
        return st;
    char **argv = calloc((size_t)what->argc + 5, sizeof *argv);
    int out[2];
    if (!argv || pipe2(out, O_CLOEXEC) != 0) {
        free(argv);
        return fail(ST_ENV, "cannot start ranks: %s", strerror(errno));
    }
    snprintf(count, sizeof count, "%d", ranks);
    char *const head[] = {(char *)launcher_path(), SPBENCH_MPIEXEC_N, count, self};
    memcpy(argv, head, sizeof head);
    if (what->argc > 1)
        memcpy(argv + 4, what->argv + 1, (size_t)(what->argc - 1) * sizeof *argv);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    s->launcher_out = out[0];
    const enum status started = process_start(&(struct process_spec){argv, out[1]}, &s->launcher);
    close(out[1]);
    free(argv);
    if (started == ST_OK && s->timeout_s > 0)
        s->stop_at = clock_s() + s->timeout_s + 2 * WATCHDOG_GRACE_S;
    return started;
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

static int finish(const struct session *s) {
    if (s->caught)
        return 128 + s->caught;
    if (s->delivery != ST_OK)
        return (int)s->delivery;
    const struct ending ending = {
        .roster = &s->roster,
        .obituary = s->obituary,
        .wait_status = s->wait_status,
        .timed_out = s->timed_out,
        .timeout_s = s->timeout_s,
    };
    return (int)ending_explain(&ending);
}

/* One mpiexec. */
static int launch(const struct supervised *what, int ranks, int index, struct report *report,
                  FILE *document) {
    struct session s = {.report = report,
                        .document = document,
                        .launcher_out = -1,
                        .timeout_s = opts_real(what->opts, "timeout", 0)};
    sigset_t before;
    s.signals = catch_signals(&before);
    struct launch_dir dir;
    enum status st = launch_dir_open(&dir, index);
    s.wire = dir.wire;
    if (st == ST_OK)
        st = roster_create(&s.roster, dir.path, ranks);
    if (st == ST_OK)
        st = start(&s, what, ranks);
    int code = (int)st;
    if (st == ST_OK) {
        watch(&s);
        code = finish(&s);
    }
    roster_close(&s.roster);
    launch_dir_close(&dir);
    lines_free(&s.results);
    lines_free(&s.said);
    if (s.launcher_out >= 0)
        close(s.launcher_out);
    close(s.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

enum status supervise_cases(const struct supervised *what, FILE *out) {
    const struct command_row *row = &command_rows[opts_command(what->opts)];
    enum status worst = ST_OK;
    size_t runnable = 0;
    if (!row->cases)
        return ST_OK;
    for (size_t i = 0; i < opts_count(what->opts, "ranks"); i++) {
        const int ranks = (int)opts_int(what->opts, "ranks", i);
        const enum status st = row->cases(what->opts, what->data_dir, ranks, out, &runnable);
        worst = worst == ST_OK ? st : worst;
    }
    if (worst == ST_OK && runnable == 0)
        return fail(ST_USAGE, "no case can run; %s",
                    opts_flag(what->opts, "quiet") ? "without --quiet the reasons are shown"
                                                   : "the reasons stand above");
    return worst;
}

int supervise(const struct supervised *what, struct report *report, FILE *document) {
    const bool measures = !command_rows[opts_command(what->opts)].document;
    const int launches = measures ? (int)opts_int(what->opts, "launches", 0) : 1;
    process_adopt();
    int code = ST_OK;
    for (size_t i = 0; code == ST_OK && i < opts_count(what->opts, "ranks"); i++)
        for (int k = 1; code == ST_OK && k <= launches; k++)
            code = launch(what, (int)opts_int(what->opts, "ranks", i), launches > 1 ? k : 0, report,
                          document);
    return code;
}

int supervise_command(const struct supervised *what) {
    enum status st = supervise_cases(what, NULL);
    if (st != ST_OK)
        return (int)st;
    if (command_rows[opts_command(what->opts)].document) {
        const int code = supervise(what, NULL, stdout);
        return fflush(stdout) == 0 ? code : (int)fail(ST_ENV, "the output could not be written");
    }
    const struct report_config config = {what->opts, what->argc, what->argv, stdout};
    struct report *report;
    st = report_open(&config, &report);
    if (st != ST_OK)
        return (int)st;
    const int code = supervise(what, report, NULL);
    const enum status closed = report_close(report);
    return code == ST_OK ? (int)closed : code;
}
