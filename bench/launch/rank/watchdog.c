#include "bench/launch/rank/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    struct timespec deadline;
};

/* One write(2), since every rank writes now. The text is the rank's own and may change under our
 * hands: what is printed is at worst the case before. */
static void say(const struct watchdog *dog) {
    char host[65] = "", line[1024];
    const char *now = dog->now;
    const enum phase phase = trace_current(&dog->entry->trace);
    gethostname(host, sizeof host - 1);
    const int n = snprintf(
        line, sizeof line - 1, "spbench[%d]: timed out after %g s on %s %s%s%s%s", dog->rank,
        dog->timeout_s, host, phase < PHASES ? "in phase " : "outside any phase",
        phase < PHASES ? phase_name(phase) : "", now ? ": " : "", now ? now : "");
    size_t length = n < 0 ? 0 : strlen(line);
    line[length++] = '\n';
    const ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
}

int watchdog_read(const char *line) {
    int rank, end = 0;
    return sscanf(line, "spbench[%d]: timed out%n", &rank, &end) == 1 && end > 0 ? rank : -1;
}

static void *watch_thread(void *arg) {
    struct watchdog *dog = arg;
    struct watch *w = dog->state;
    int error = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&w->wake, &w->lock, &w->deadline);
    const bool stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    if (stop)
        return NULL;
    say(dog);
    rank_state_note(dog->entry, ST_TIMEOUT);
    nanosleep(&(struct timespec){.tv_nsec = (long)(WATCHDOG_GRACE_S * 1e9)}, NULL);
    _exit(ST_TIMEOUT);
}

static void init_lock(struct watch *w, double timeout_s) {
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&w->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &w->deadline);
    const double at = (double)w->deadline.tv_nsec * 1e-9 + timeout_s;
    w->deadline.tv_sec += (time_t)at;
    w->deadline.tv_nsec = (long)((at - (double)(time_t)at) * 1e9);
}

static void free_watch(struct watch *w) {
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

enum status watchdog_start(struct watchdog *dog) {
    if (dog->timeout_s <= 0)
        return ST_OK;
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return fail(ST_ENV, "out of memory for --timeout");
    init_lock(w, dog->timeout_s);
    dog->state = w;
    /* Signals are for the thread that computes. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&w->thread, NULL, watch_thread, dog);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return ST_OK;
    dog->state = NULL;
    free_watch(w);
    return fail(ST_ENV, "cannot start a thread for --timeout: %s", strerror(error));
}

void watchdog_stop(struct watchdog *dog) {
    struct watch *w = dog->state;
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    free_watch(w);
    dog->state = NULL;
}
