#include "bench/launch/supervisor/shortage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/text/units.h"

/* MPICH and UCX put this much for every rank into /dev/shm, about. */
#define SHM_BYTES 8e6
/* ... and a rank has this much address space by then. */
#define RANK_BYTES 256e6

/* "4000", or "unlimited". */
static const char *process_limit(char text[32]) {
    struct rlimit limit;
    snprintf(text, 32, "unlimited");
    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, 32, "%llu", (unsigned long long)limit.rlim_cur);
    return text;
}

static void *wait_for(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Libraries' thread-local data are in it. */
enum { STACK_BYTES = 1 << 20 };

/* How many of n threads can be there at once? */
static int start_threads(pthread_t *threads, int n) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attr;
    int started = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_mutex_lock(&gate);
    while (started < n && pthread_create(&threads[started], &attr, wait_for, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attr);
    return started;
}

/* Is there no address space for this many stacks? */
static bool stacks_fail(int n) {
    const size_t bytes = (size_t)n * STACK_BYTES;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED)
        munmap(room, bytes);
    return room == MAP_FAILED;
}

enum status shortage_try(int ranks, bool watchdogs) {
    /* The launcher and its proxy; of a rank itself, UCX's thread, and the watchdog. */
    const int n = 2 + ranks * (2 + watchdogs);
    char limit[32];
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    if (!threads)
        return fail(ST_ENV, "out of memory for %d ranks", ranks);
    const int started = start_threads(threads, n);
    free(threads);
    if (started == n)
        return ST_OK;
    if (stacks_fail(n))
        return shortage_explain(SHORT_OF_MEMORY);
    return fail(ST_ENV,
                "-n %d takes %d processes and threads with its launcher, and only %d can be "
                "started; raise the limit (ulimit -u is %s; a container may have one of its own), "
                "or use fewer ranks",
                ranks, n, started, process_limit(limit));
}

/* As the C library's words for errno reach us through other libraries. */
static const struct complaint {
    const char *words;
    enum shortage shortage;
} complaints[] = {
    {"/dev/shm", SHORT_OF_SHM},
    {"No space left on device", SHORT_OF_SHM},
    {"Resource temporarily unavailable", SHORT_OF_PROCESSES},
    {"Cannot allocate memory", SHORT_OF_MEMORY},
    {"out of memory", SHORT_OF_MEMORY},
};

void shortage_read(enum shortage *worst, const char *line) {
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++)
        if (complaints[i].shortage > *worst && strcasestr(line, complaints[i].words))
            *worst = complaints[i].shortage;
}

/* The limit of a process's memory; NULL: there is none. */
static const char *memory_limit(double *bytes) {
    static const struct {
        __rlimit_resource_t resource;
        const char *name;
    } limits[] = {{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit;
        if (getrlimit(limits[i].resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
            continue;
        *bytes = (double)limit.rlim_cur;
        return limits[i].name;
    }
    return NULL;
}

bool shortage_is_limit(void) {
    double bytes;
    return memory_limit(&bytes) != NULL;
}

static double shm_free(void) {
    struct statvfs st;
    return statvfs("/dev/shm", &st) == 0 ? (double)st.f_bavail * (double)st.f_frsize : 0;
}

bool shortage_is_tight(void) {
    double bytes;
    return shm_free() < SHM_BYTES || (memory_limit(&bytes) && bytes < RANK_BYTES);
}

static enum status explain_memory(void) {
    double bytes;
    const char *limit = memory_limit(&bytes);
    if (!limit)
        return fail(ST_ENV, "there was not enough memory; use fewer ranks");
    return fail(ST_ENV, "there was not enough memory for ranks of %s each (%s); raise that limit",
                format_bytes(bytes).s, limit);
}

enum status shortage_explain(enum shortage shortage) {
    char limit[32];
    const double room = shm_free();
    if (shortage == SHORT_OF_SHM || (shortage == SHORT_OF_MEMORY && room < SHM_BYTES))
        return fail(
            ST_ENV,
            "there is too little room in /dev/shm, where MPI keeps what ranks share (%s are "
            "free); remove what others left there, or give the container more (docker run "
            "--shm-size=1g)",
            format_bytes(room).s);
    /* A thread's stack is memory, too. */
    if (shortage == SHORT_OF_MEMORY || shortage_is_limit())
        return explain_memory();
    return fail(ST_ENV,
                "no more processes or threads could be started (ulimit -u is %s; a container may "
                "have a limit of its own); raise the limit, or use fewer ranks or --threads",
                process_limit(limit));
}
