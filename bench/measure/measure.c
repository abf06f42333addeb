#include "bench/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One variant's iterations on this rank. */
struct series {
    double *start;       /* on this rank's clock */
    double *local, *max; /* seconds: this rank's, and the slowest rank's up to `reduced` */
    double *late;        /* 1: this rank (any rank, up to `reduced`) started late */
    size_t n, reduced, capacity;
    size_t invalid; /* iterations with a late start; they are in none of the above */
    double spent;   /* sum of max, of those too */
};

struct engine {
    const struct group *world;
    struct trace *trace;
    const struct measure_config *config;
    const struct measure_variant *variants;
    int n_variants;
    struct sync sync;
    struct series *series;    /* [n_variants] */
    double (*phases)[PHASES]; /* of each iteration of the first variant */
};

static enum status allocate(struct engine *e) {
    const size_t capacity = e->config->max_samples;
    e->phases = malloc(capacity * sizeof *e->phases);
    e->series = calloc((size_t)e->n_variants, sizeof *e->series);
    bool complete = e->phases && e->series;
    for (int v = 0; complete && v < e->n_variants; v++) {
        struct series *s = &e->series[v];
        s->capacity = capacity;
        s->start = malloc(capacity * sizeof *s->start);
        s->local = malloc(capacity * sizeof *s->local);
        s->max = malloc(capacity * sizeof *s->max);
        s->late = malloc(capacity * sizeof *s->late);
        complete = s->start && s->local && s->max && s->late;
    }
    return group_agree(e->world,
                       complete ? ST_OK : fail(ST_ENV, "out of memory for %zu samples", capacity));
}

static void release(struct engine *e) {
    for (int v = 0; e->series && v < e->n_variants; v++) {
        free(e->series[v].start);
        free(e->series[v].local);
        free(e->series[v].max);
        free(e->series[v].late);
    }
    free(e->series);
    free(e->phases);
}

struct interval {
    double start, end;
};

static struct interval iterate(struct engine *e, int v) {
    const struct measure_variant *variant = &e->variants[v];
    if (variant->prepare)
        variant->prepare(variant->arg);
    trace_begin(e->trace, PHASE_BARRIER);
    sync_meet(&e->sync);
    trace_end(e->trace);
    trace_reset(e->trace);
    struct interval i;
    i.start = sync_start(&e->sync);
    variant->run(variant->arg);
    i.end = clock_now(&e->sync.clock);
    /* What comes next is not timed: a rank that goes on with it must not keep one that shares its
     * core from reading the clock. */
    if (e->world->wait != WAIT_SPIN)
        group_barrier(e->world);
    return i;
}

static void sample(struct engine *e, int v) {
    struct series *s = &e->series[v];
    const struct interval i = iterate(e, v);
    s->start[s->n] = i.start;
    s->local[s->n] = i.end - i.start;
    s->late[s->n] = e->sync.late;
    if (v == 0)
        memcpy(e->phases[s->n], e->trace->self_s, sizeof e->phases[0]);
    s->n++;
}

/* Counts the new iterations from the first start of the ranks that share cores. Until then this
 * rank was still leaving the barrier. */
static void count_from_first(struct engine *e, int v) {
    struct series *s = &e->series[v];
    const size_t fresh = s->n - s->reduced;
    double *first = s->max + s->reduced; /* which is not used yet */
    if (!e->config->crowd || e->config->crowd->size == 1)
        return;
    for (size_t i = 0; i < fresh; i++)
        first[i] = -s->start[s->reduced + i];
    group_max(e->config->crowd, first, (int)fresh);
    for (size_t i = 0; i < fresh; i++) {
        const double waited = s->start[s->reduced + i] + first[i];
        s->local[s->reduced + i] += waited;
        if (v == 0)
            e->phases[s->reduced + i][PHASE_BARRIER] += waited;
    }
}

/* Takes the invalid ones out of the new iterations. */
static void keep_valid(struct engine *e, int v) {
    struct series *s = &e->series[v];
    size_t kept = s->reduced;
    for (size_t i = s->reduced; i < s->n; i++) {
        s->spent += s->max[i];
        if (s->late[i] > 0)
            continue;
        s->local[kept] = s->local[i];
        s->max[kept] = s->max[i];
        if (v == 0 && kept != i)
            memcpy(e->phases[kept], e->phases[i], sizeof e->phases[0]);
        kept++;
    }
    s->invalid += s->n - kept;
    s->n = s->reduced = kept;
}

/* Brings the slowest ranks' times of all new iterations to every rank. */
static void reduce(struct engine *e) {
    size_t all = 0, late = 0;
    for (int v = 0; v < e->n_variants; v++) {
        struct series *s = &e->series[v];
        const size_t fresh = s->n - s->reduced, before = s->invalid;
        if (fresh == 0)
            continue;
        count_from_first(e, v);
        memcpy(s->max + s->reduced, s->local + s->reduced, fresh * sizeof *s->max);
        group_max(e->world, s->max + s->reduced, (int)fresh);
        group_max(e->world, s->late + s->reduced, (int)fresh);
        keep_valid(e, v);
        all += fresh;
        late += s->invalid - before;
    }
    sync_refresh(&e->sync, all > 0 ? (double)late / (double)all : 0);
}

static double total_spent(const struct engine *e) {
    double spent = 0;
    for (int v = 0; v < e->n_variants; v++)
        spent += e->series[v].spent;
    return spent;
}

static size_t always_taken(const struct engine *e, int v) {
    const size_t least = e->variants[v].least;
    return least > 0 ? least : 1;
}

/* Against max_time: without what is always taken of later variants. */
static double budget_spent(const struct engine *e) {
    double spent = total_spent(e);
    for (int v = 1; v < e->n_variants; v++) {
        const struct series *s = &e->series[v];
        for (size_t i = 0; i < s->reduced && i < always_taken(e, v); i++)
            spent -= s->max[i];
    }
    return spent;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { WINDOW = 25 };

/* Iterations of a warm-up. */
struct window {
    double median, spent; /* seconds */
    bool settled;         /* the synchronisation has adapted to how late they were begun */
};

/* n <= WINDOW iterations; equal on all ranks. */
static struct window run_window(struct engine *e, int n) {
    double t[WINDOW], late[WINDOW];
    struct window w = {0};
    for (int i = 0; i < n; i++) {
        const struct interval interval = iterate(e, 0);
        t[i] = interval.end - interval.start;
        late[i] = e->sync.late;
    }
    group_max(e->world, t, n);
    group_max(e->world, late, n);
    double n_late = 0;
    for (int i = 0; i < n; i++) {
        w.spent += t[i];
        n_late += late[i];
    }
    w.settled = !sync_refresh(&e->sync, n_late / n);
    qsort(t, (size_t)n, sizeof t[0], ascending);
    w.median = t[n / 2];
    return w;
}

/* How late an iteration may begin. */
static double late_limit(const struct engine *e, double iteration_s) {
    static const double least_s = 200e-9; /* polling a clock takes a part of that */
    return e->config->late_s > 0 ? e->config->late_s : fmax(least_s, 0.01 * iteration_s);
}

/* Iterations until the medians of two windows in a row agree within 5%, or the time is over. A
 * window is about 20 ms long, so that one interruption is not its median. Returns the last median:
 * what an iteration takes. */
static double warm_up(struct engine *e) {
    static const double agree = 0.05, window_s = 0.02;
    struct window before = run_window(e, 1);
    double spent = before.spent;
    while (spent < e->config->max_warmup_s) {
        const double fit = window_s / (before.median > 1e-7 ? before.median : 1e-7);
        const int n = fit > WINDOW ? WINDOW : fit < 1 ? 1 : (int)fit;
        e->sync.late_s = late_limit(e, before.median);
        const struct window now = run_window(e, n);
        if (now.settled && fabs(now.median - before.median) <= agree * before.median)
            return now.median;
        spent += now.spent;
        before = now;
    }
    return before.median;
}

/* Ranks that are not running when it is time to start will not be the next time either. */
static bool mostly_invalid(const struct series *s) {
    return s->invalid > 9 * s->n;
}

/* Equal on all ranks, also where one has no memory to tell. */
static bool is_certain(const struct engine *e, const struct series *s) {
    struct summary summary;
    double uncertain = stats_summarise(s->max, s->n, &summary) != ST_OK ||
                       stats_ci_halfwidth_rel(&summary) > e->config->rel_ci;
    group_max(e->world, &uncertain, 1);
    return uncertain == 0;
}

static bool done(const struct engine *e, bool *converged) {
    enum { ENOUGH = 100 }; /* tries that tell */
    const struct series *first = &e->series[0];
    if (first->invalid >= ENOUGH && mostly_invalid(first))
        return true;
    *converged = first->n >= e->config->min_samples && is_certain(e, first);
    return *converged || first->n >= e->config->max_samples ||
           budget_spent(e) >= e->config->max_time_s;
}

/* Whether a later variant takes part in the next round; the same on all ranks between two
 * reductions. */
static bool takes_part(const struct engine *e, int v) {
    const struct series *s = &e->series[v];
    return s->n < s->capacity &&
           (s->n < always_taken(e, v) || s->spent < e->variants[v].share * total_spent(e));
}

/* Rounds between two reductions: about 5 ms of them, so that statistics do not disturb short
 * iterations. */
static size_t rounds_between(double iteration_s) {
    static const double between_s = 0.005;
    const double fit = between_s / (iteration_s > 1e-7 ? iteration_s : 1e-7);
    return fit > 1000 ? 1000 : fit < 1 ? 1 : (size_t)fit;
}

static bool collect(struct engine *e, double iteration_s) {
    bool converged = false;
    struct series *first = &e->series[0];
    const size_t most = rounds_between(iteration_s);
    size_t rounds = 1; /* few at first: shares are known from reductions only */
    do {
        for (size_t r = rounds; r > 0 && first->n < first->capacity; r--)
            for (int v = 0; v < e->n_variants; v++)
                if (v == 0 || takes_part(e, v))
                    sample(e, v);
        reduce(e);
        rounds = 2 * rounds < most ? 2 * rounds : most;
    } while (!done(e, &converged));
    return converged;
}

struct ranked {
    double time;
    size_t index;
};

static int by_time(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Phases of the slowest rank, as the mean over the middle third of the iterations, scaled to the
 * median: so they sum to it exactly, and one odd iteration does not decide. */
static enum status middle_phases(struct engine *e, double median, double *out) {
    const struct series *s = &e->series[0];
    struct ranked *order = malloc(s->n * sizeof *order);
    const enum status st =
        group_agree(e->world, order ? ST_OK : fail(ST_ENV, "out of memory for %zu samples", s->n));
    if (st != ST_OK) {
        free(order);
        return st;
    }
    for (size_t i = 0; i < s->n; i++)
        order[i] = (struct ranked){s->max[i], i};
    qsort(order, s->n, sizeof *order, by_time);
    const size_t from = s->n / 3, to = s->n - s->n / 3;
    double time = 0;
    for (int p = 0; p < PHASES; p++)
        out[p] = 0;
    for (size_t k = from; k < to; k++) {
        const size_t i = order[k].index;
        /* The lowest rank that took the longest speaks for the iteration. */
        double speaker = s->local[i] == s->max[i] ? -e->world->rank : -e->world->size;
        group_max(e->world, &speaker, 1);
        time += s->max[i];
        if (speaker != -e->world->rank)
            continue;
        for (int p = 0; p < PHASES; p++)
            out[p] += e->phases[i][p];
    }
    group_sum(e->world, out, PHASES);
    double covered = 0;
    for (int p = 0; p < PHASES; p++) {
        out[p] *= median / time;
        covered += out[p];
    }
    out[PHASES] = median > covered ? median - covered : 0;
    free(order);
    return ST_OK;
}

/* ST_INCONCLUSIVE, said, when too few iterations of a variant were valid. */
static enum status check_valid(const struct engine *e) {
    for (int v = 0; v < e->n_variants; v++) {
        const struct series *s = &e->series[v];
        if (s->n > 0 && !mostly_invalid(s))
            continue;
        return e->world->rank > 0
                   ? ST_INCONCLUSIVE
                   : fail(ST_INCONCLUSIVE,
                          "--sync %s: %zu of %zu iterations were begun late by some rank, which "
                          "was not running when it was time to start; use fewer ranks than cores, "
                          "or --sync barrier",
                          e->sync.row->name, s->invalid, s->invalid + s->n);
    }
    return ST_OK;
}

static enum status summarise(struct engine *e, bool converged, struct measurement *out) {
    double clock_error = e->sync.error_s;
    group_max(e->world, &clock_error, 1); /* NAN everywhere, or nowhere */
    for (int v = 0; v < e->n_variants; v++) {
        struct series *s = &e->series[v];
        const enum status st = stats_summarise(s->max, s->n, &out[v].time);
        if (st != ST_OK)
            return st;
        out[v].converged = converged;
        out[v].invalid = e->sync.row->can_be_late ? (long)s->invalid : -1;
        out[v].clock_error_s = e->sync.row->can_be_late ? clock_error : NAN;
        out[v].samples = s->max;
        s->max = NULL;
    }
    return ST_OK;
}

enum status measure(const struct group *world, struct trace *trace,
                    const struct measure_config *config, const struct measure_variant *variants,
                    int n, struct measurement *out) {
    struct engine e = {
        .world = world, .trace = trace, .config = config, .variants = variants, .n_variants = n};
    memset(out, 0, (size_t)n * sizeof *out);
    enum status st = allocate(&e);
    if (st == ST_OK) {
        sync_open(&e.sync, config->sync ? config->sync : sync_table[0], world,
                  config->clock ? *config->clock : clock_monotonic);
        const double iteration_s = warm_up(&e);
        e.sync.late_s = late_limit(&e, iteration_s);
        const bool converged = collect(&e, iteration_s);
        struct summary time;
        st = check_valid(&e);
        if (st == ST_OK)
            st = group_agree(world, stats_summarise(e.series[0].max, e.series[0].n, &time));
        if (st == ST_OK)
            st = middle_phases(&e, time.median, out[0].phases);
        if (st == ST_OK)
            st = group_agree(world, summarise(&e, converged, out));
    }
    release(&e);
    return st;
}

void measurement_free(struct measurement *m) {
    free(m->samples);
    *m = (struct measurement){0};
}
