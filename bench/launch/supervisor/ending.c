#include "bench/launch/supervisor/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static bool is_rule(const char *line, const char *sign) {
    enum { RULE = 20 };
    const size_t n = strspn(line, sign);
    return n >= RULE && line[n] == '\0';
}

bool obituary_read(struct obituary *o, const char *line) {
    shortage_read(&o->shortage, line);
    if (is_rule(line, "=")) { /* before and after the banner */
        o->in_banner = true;
        return true;
    }
    if (!o->in_banner)
        return false;
    const char *signal = strstr(line, "(signal ");
    int number;
    if (o->pid == 0 && sscanf(line, "= PID %d", &number) == 1)
        o->pid = number;
    else if (o->signal == 0 && signal && sscanf(signal, "(signal %d)", &number) == 1)
        o->signal = number;
    return true; /* advice follows the closing rule, to the end of the output */
}

/* Lines of Open MPI's that say no more than we do. A rank's line may stand between any two. */
static bool is_open_mpi_phrase(const char *line) {
    static const char *const phrases[] = {
        "Primary job  terminated normally, but",
        "a non-zero exit code. Per user-direction, the job has been aborted.",
        "detected that one or more processes exited with non-zero status, thus causing",
        "the job to be terminated. The first process to do so was:",
        "  Process name: [[",
        "  Exit code:    ",
    };
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (strstr(line, phrases[i]))
            return true;
    return false;
}

bool obituary_read_stderr(struct obituary *o, const char *line) {
    static const char noticed[] = "noticed that process rank ";
    shortage_read(&o->shortage, line);
    if (is_rule(line, "-")) { /* a frame, of other messages, too */
        o->in_banner = false;
        return true;
    }
    const char *death = strstr(line, noticed), *signal = strstr(line, "exited on signal ");
    int rank, number;
    if (death && signal && sscanf(death + sizeof noticed - 1, "%d", &rank) == 1 &&
        sscanf(signal, "exited on signal %d", &number) == 1) {
        if (!o->named) {
            o->named = true;
            o->rank = rank;
            o->signal = number;
        }
        return true;
    }
    if (is_open_mpi_phrase(line)) {
        o->in_banner = true;
        return true;
    }
    return o->in_banner && line[0] == '\0';
}

/* Who died, or NULL. Open MPI names no usable pid. */
static const struct rank_state *find(const struct rank_board *board, const struct obituary *o) {
    if (o->named && o->rank >= 0 && o->rank < board->n && board->ranks[o->rank].pid > 0)
        return &board->ranks[o->rank];
    for (int i = 0; i < board->n; i++)
        if (o->pid > 0 && board->ranks[i].pid == o->pid)
            return &board->ranks[i];
    return NULL;
}

static bool is_starting(const struct rank_state *e) {
    return e->pid > 0 && e->status == RANK_STARTING;
}

static bool is_running(const struct rank_state *e) {
    return e->pid > 0 && (e->status == RANK_RUNNING || e->status == RANK_STARTING);
}

/* " in phase exchange", or nothing. */
static const char *where(const struct rank_state *e, char text[64]) {
    const enum phase phase = trace_current(&e->trace);
    if (is_starting(e))
        snprintf(text, 64, " while MPI started");
    else
        snprintf(text, 64, phase < PHASES ? " in phase %s" : "%s",
                 phase < PHASES ? phase_name(phase) : "");
    return text;
}

static enum status explain_timeout(const struct ending *e) {
    const struct rank_board *board = e->board;
    char phase[64];
    for (int i = 0; i < board->n; i++) {
        const struct rank_state *rank = &board->ranks[i];
        if (rank->pid == 0)
            fail(ST_TIMEOUT, "timed out after %g s: rank %d never started", e->timeout_s, i);
        else if ((is_running(rank) || rank->status == ST_TIMEOUT) && !rank->reported)
            fail(ST_TIMEOUT, "timed out after %g s: rank %d said nothing; it was last seen%s",
                 e->timeout_s, i, *where(rank, phase) ? phase : " outside any phase");
    }
    return ST_TIMEOUT;
}

/* "0, 3 and 12 more": ranks that never said how they ended. */
static void list_missing(const struct rank_board *board, char *list, size_t size) {
    enum { ROOM = sizeof ", 2147483647 and 2147483647 more" };
    size_t used = 0;
    int more = 0;
    for (int i = 0; i < board->n; i++) {
        if (!is_running(&board->ranks[i]) && board->ranks[i].pid != 0)
            continue;
        if (more > 0 || size - used < ROOM)
            more++;
        else
            used += (size_t)snprintf(list + used, size - used, "%s%d", used ? ", " : "", i);
    }
    if (more > 0)
        snprintf(list + used, size - used, " and %d more", more);
}

/* Did somebody kill a rank? Libraries that give up raise SIGABRT, launchers end the others with
 * SIGTERM, and Hydra reads status 1 as SIGHUP where it did not wait for a rank's own. */
static bool was_killed(const struct ending *e) {
    const int signal = e->obituary.signal;
    return WIFSIGNALED(e->wait_status) ||
           (signal > 0 && signal != SIGABRT && signal != SIGTERM && signal != SIGHUP);
}

/* Was it a shortage? The launcher kills the others of a rank that gave up for want of a thread; who
 * has too much memory may himself be killed for it. */
static bool has_cause(const struct ending *e) {
    const enum shortage shortage = e->obituary.shortage;
    return shortage > SHORT_OF_MEMORY || (shortage == SHORT_OF_MEMORY && !was_killed(e));
}

/* MPI never joined any ranks. */
static enum status explain_no_mpi(const struct ending *e) {
    return fail(ST_ENV,
                "MPI could not start its ranks (exit code %d); what it said stands above. Look for "
                "devices that are not there, in its settings (UCX_NET_DEVICES, UCX_TLS, FI_*, "
                "MPIR_CVAR_*, OMPI_MCA_*) or gone since; if a network interface came or went just "
                "now, try again",
                WEXITSTATUS(e->wait_status));
}

static enum status explain_death(const struct ending *e) {
    const struct rank_state *dead = find(e->board, &e->obituary);
    char phase[64], cause[64] = "died", list[256] = "";
    if (dead && e->obituary.signal > 0)
        snprintf(cause, sizeof cause, "was killed by signal %d (%s)", e->obituary.signal,
                 strsignal(e->obituary.signal));
    if (dead)
        return fail(ST_DIED, "rank %d (pid %d) %s%s", (int)(dead - e->board->ranks), (int)dead->pid,
                    cause, where(dead, phase));
    if (WIFSIGNALED(e->wait_status))
        return fail(ST_DIED, "mpiexec was killed by signal %d (%s), and the ranks with it",
                    WTERMSIG(e->wait_status), strsignal(WTERMSIG(e->wait_status)));
    list_missing(e->board, list, sizeof list);
    return fail(ST_DIED, "a rank died with exit code %d; these never finished: %s",
                WEXITSTATUS(e->wait_status), list);
}

/* The launcher failed before there was a rank. */
static enum status explain_no_start(const struct ending *e) {
    if (WIFSIGNALED(e->wait_status))
        return fail(ST_ENV, "mpiexec was killed by signal %d before any rank started",
                    WTERMSIG(e->wait_status));
    return fail(ST_ENV,
                "mpiexec ended with exit code %d before any rank started; what it said stands "
                "above. SPBENCH_MPIEXEC names another launcher",
                WEXITSTATUS(e->wait_status));
}

enum status ending_explain(const struct ending *e) {
    const struct rank_board *board = e->board;
    enum status worst = ST_OK;
    const enum shortage shortage = e->obituary.shortage;
    int present = 0, starting = 0, running = 0;
    bool timed_out = e->timed_out;
    for (int i = 0; i < board->n; i++) {
        const struct rank_state *rank = &board->ranks[i];
        present += rank->pid > 0;
        starting += is_starting(rank);
        running += is_running(rank);
        timed_out |= rank->pid > 0 && rank->status == ST_TIMEOUT;
        if (rank->pid > 0 && !is_running(rank) && rank->status > (int)worst)
            worst = (enum status)rank->status;
    }
    if (timed_out)
        return explain_timeout(e);
    /* Ranks that have said it know nothing of limits. */
    if (worst == ST_ENV && shortage == SHORT_OF_MEMORY && shortage_is_limit())
        return shortage_explain(shortage);
    if (worst == ST_OK && (present < board->n || running > 0) && has_cause(e))
        return shortage_explain(shortage);
    if (present == 0)
        return explain_no_start(e);
    /* Not all that is said before a launcher ends comes this far. */
    if (starting == present && !was_killed(e))
        return shortage_is_tight() ? shortage_explain(SHORT_OF_MEMORY) : explain_no_mpi(e);
    if (present < board->n || running > 0)
        return worst == ST_OK ? explain_death(e) : worst;
    return worst;
}
