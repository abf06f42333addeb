#include "bench/measure/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "comm/ranks/communicator.h"

#include "tests/capture.h"
#include "tests/mpi_test.h"

static struct trace trace;

static void busy(double seconds) {
    const double until = clock_s() + seconds;
    while (clock_s() < until)
        ;
}

/* The last rank takes the longest; a part of it is a phase. */
static void uneven(void *arg) {
    int *runs = arg;
    ++*runs;
    busy(1e-4 * test_world.rank);
    trace_begin(&trace, PHASE_EXCHANGE);
    busy(1e-4);
    trace_end(&trace);
}

static const struct measure_config quick = {
    .rel_ci = 0.5, .min_samples = 12, .max_samples = 300, .max_time_s = 1, .max_warmup_s = 0.05};

static void the_slowest_rank_counts(void **state) {
    (void)state;
    struct measurement m;
    int runs = 0;
    const struct measure_variant v = {NULL, uneven, &runs, 1, 0};
    assert_int_equal(measure(&test_world, &trace, &quick, &v, 1, &m), ST_OK);
    assert_true(m.time.n >= 12 || !m.converged);
    assert_true(m.time.min >= 1e-4 * test_world.size);
    double sum = 0;
    for (int p = 0; p <= PHASES; p++)
        sum += m.phases[p];
    assert_true(fabs(sum - m.time.median) <= 1e-9 * sum);
    assert_true(m.phases[PHASE_EXCHANGE] > 0);
    /* Every rank has the same samples and the same verdict. */
    double same[2] = {m.time.median, -m.time.median};
    group_max(&test_world, same, 2);
    assert_true(same[0] == -same[1]);
    double n[2] = {runs, -runs};
    group_max(&test_world, n, 2);
    assert_true(n[0] == -n[1]);
    measurement_free(&m);
}

/* A clock that only work moves, so that no interruption is in a time. */
static double made_up_now(void *arg) {
    return *(double *)arg;
}

struct work {
    double *now;
    int runs;
};

static void work(void *arg) {
    struct work *w = arg;
    w->runs++;
    *w->now += 1e-4 * (test_world.rank + 1);
}

static void variants_are_interleaved(void **state) {
    (void)state;
    enum { FIRST, NO_SHARE, FOUR_AT_LEAST, HALF, N };
    double now = 0;
    const struct clock clock = {made_up_now, &now};
    struct measure_config config = quick;
    struct measurement m[N];
    struct work works[N];
    for (int i = 0; i < N; i++)
        works[i] = (struct work){&now, 0};
    const struct measure_variant v[N] = {
        [FIRST] = {NULL, work, &works[FIRST], 1, 0},
        [NO_SHARE] = {NULL, work, &works[NO_SHARE], 0, 0},
        [FOUR_AT_LEAST] = {NULL, work, &works[FOUR_AT_LEAST], 0, 4},
        [HALF] = {NULL, work, &works[HALF], 0.5, 0}};
    config.clock = &clock;
    assert_int_equal(measure(&test_world, &trace, &config, v, N, m), ST_OK);
    assert_true(m[FIRST].converged);
    assert_true(fabs(m[FIRST].time.median - 1e-4 * test_world.size) < 1e-12);
    assert_in_range(m[FIRST].time.n, 12, 24); /* a batch begun is ended */
    assert_int_equal(m[NO_SHARE].time.n, 1);
    assert_int_equal(works[NO_SHARE].runs, 1);
    assert_int_equal(m[FOUR_AT_LEAST].time.n, 4);
    assert_in_range(m[HALF].time.n, m[FIRST].time.n / 2, m[FIRST].time.n);
    for (int i = 0; i < N; i++)
        measurement_free(&m[i]);
}

static void there_may_be_many_variants(void **state) {
    (void)state;
    enum { N = 9 };
    double now = 0;
    const struct clock clock = {made_up_now, &now};
    struct measure_config config = quick;
    struct measure_variant v[N];
    struct measurement m[N];
    struct work works[N];
    for (int i = 0; i < N; i++) {
        works[i] = (struct work){&now, 0};
        v[i] = (struct measure_variant){NULL, work, &works[i], 1, 0};
    }
    config.clock = &clock;
    assert_int_equal(measure(&test_world, &trace, &config, v, N, m), ST_OK);
    for (int i = 0; i < N; i++) {
        assert_true(fabs(m[i].time.median - 1e-4 * test_world.size) < 1e-12);
        measurement_free(&m[i]);
    }
}

/* The linker puts this in malloc's place, of all but shared libraries. */
static bool starved;
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
    return starved ? NULL : __real_malloc(bytes);
}

static void work_until_starved(void *arg) {
    const struct work *w = arg;
    work(arg);
    starved = w->runs >= 20 && test_world.rank == test_world.size - 1;
}

/* One rank's lack of memory ends all of them, instead of leaving the others to wait for it. */
static void one_rank_without_memory_ends_all(void **state) {
    (void)state;
    double now = 0;
    const struct clock clock = {made_up_now, &now};
    struct measure_config config = quick;
    struct measurement m;
    struct work w = {&now, 0};
    const struct measure_variant v = {NULL, work_until_starved, &w, 1, 0};
    config.clock = &clock;
    config.max_samples = 40;
    config.min_samples = 30;
    log_set_rank(test_world.rank, LOG_SILENT);
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_ENV);
    starved = false;
    log_set_rank(test_world.rank, 0);
    measurement_free(&m);
}

static void bounds_are_kept(void **state) {
    (void)state;
    struct measurement m;
    double now = 0;
    const struct clock clock = {made_up_now, &now};
    struct work w = {&now, 0};
    struct measure_config config = quick;
    config.clock = &clock;
    config.rel_ci = -1; /* never reached */
    config.max_samples = 25;
    const struct measure_variant v = {NULL, work, &w, 1, 0};

    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_int_equal(m.time.n, 25);
    assert_false(m.converged);
    measurement_free(&m);
    /* Batches are up to 5 ms long, of iterations that are no longer than 0.8 ms. */
    config.max_samples = 100000;
    config.max_time_s = 0.05;
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    const double spent = 1e-4 * test_world.size * (double)m.time.n;
    assert_true(spent >= 0.05 - 1e-9 && spent <= 0.055 + 1e-9);
    measurement_free(&m);
    config.max_time_s = 0; /* one round */
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_int_equal(m.time.n, 1);
    measurement_free(&m);
}

/* A clock of work done, in memory that all ranks share: about a microsecond for each run of this
 * rank, and half of that for each preparation of any rank; both exact in binary. */
static const double run_s = 0x1p-20, preparation_s = 0x1p-21;

struct work_clock {
    double runs;
    _Atomic long *preparations;
};

static double work_now(void *arg) {
    const struct work_clock *c = arg;
    return run_s * c->runs + preparation_s * (double)atomic_load(c->preparations);
}

static void prepare_work(void *arg) {
    const struct work_clock *c = arg;
    atomic_fetch_add(c->preparations, 1);
}

/* Rank 0 is done long before the others read their clocks, as if it had the only core. */
static void run_work(void *arg) {
    struct work_clock *c = arg;
    char done = 1;
    c->runs++;
    for (int rank = 1; test_world.rank == 0 && rank < test_world.size; rank++)
        group_send(&test_world, rank, &done, sizeof done);
    if (test_world.rank == 0)
        return;
    group_receive(&test_world, 0, &done, sizeof done);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void others_preparations_do_not_count(void **state) {
    (void)state;
    const MPI_Aint bytes = test_world.rank == 0 ? sizeof(_Atomic long) : 0;
    struct work_clock work = {0};
    struct clock clock = {work_now, &work};
    struct measure_config config = quick;
    struct measurement m;
    MPI_Win window;
    MPI_Aint size;
    int unit;
    config.clock = &clock;
    const struct measure_variant v = {prepare_work, run_work, &work, 1, 0};

    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, group_comm(&test_world), &work.preparations,
                            &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &work.preparations);
    if (test_world.rank == 0)
        atomic_init(work.preparations, 0);
    group_barrier(&test_world);
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_true(m.time.n >= config.min_samples);
    for (size_t i = 0; i < m.time.n; i++)
        assert_true(m.samples[i] == run_s);
    measurement_free(&m);
    MPI_Win_free(&window);
}

/* Ranks that start, and end, one after the other, by a clock that knows no other time: all take
 * run_s, and have to share a core. */
struct queue_clock {
    double iteration, ran;
};

static double queue_now(void *arg) {
    const struct queue_clock *c = arg;
    return run_s * (100 * c->iteration + c->ran + test_world.rank);
}

static void queue_up(void *arg) {
    struct queue_clock *c = arg;
    c->iteration++;
    c->ran = 0;
}

static void run_queue(void *arg) {
    struct queue_clock *c = arg;
    c->ran = 1;
}

static void the_first_of_a_crowd_starts_for_all(void **state) {
    (void)state;
    struct queue_clock queue = {0};
    struct clock clock = {queue_now, &queue};
    const struct measure_variant v = {queue_up, run_queue, &queue, 1, 0};
    for (int crowded = 0; crowded < 2; crowded++) {
        struct measure_config config = quick;
        struct measurement m;
        config.clock = &clock;
        config.crowd = crowded ? &test_world : NULL;
        assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
        const int waited = crowded ? test_world.size - 1 : 0;
        for (size_t i = 0; i < m.time.n; i++)
            assert_true(m.samples[i] == run_s * (1 + waited));
        assert_true(fabs(m.phases[PHASE_BARRIER] - run_s * waited) < 1e-9 * run_s);
        measurement_free(&m);
    }
}

/* A clock that is off by this rank's number of hours, and on one rank seems to have stood still for
 * a second when it is asked for the time after an announcement: as if the rank had not been
 * running. Ranks that share cores with other work are later than a few milliseconds all the time.
 */
struct bad_clock {
    double offset;
    long asked, stall_from; /* of the readings */
    bool armed;             /* an iteration has been prepared */
};

static const double stall_s = 1, tolerance_s = 0.5;

static double bad_now(void *arg) {
    enum { READINGS = 2 }; /* has the start come, and how long ago? */
    struct bad_clock *c = arg;
    const long since = ++c->asked - c->stall_from;
    const bool stalls = c->armed && since > 0 && since <= READINGS;
    return clock_s() + c->offset + (stalls ? stall_s : 0);
}

struct stalled {
    struct bad_clock *clock;
    int prepared;
};

/* Every third iteration, the last rank's clock has stalled when it looks for the start. */
static void prepare_stall(void *arg) {
    struct stalled *s = arg;
    const bool last = test_world.rank == test_world.size - 1;
    s->clock->armed = last && ++s->prepared % 3 == 0;
    s->clock->stall_from = s->clock->asked + 1; /* one is read for the announcement */
}

static void short_work(void *arg) {
    (void)arg;
    busy(1e-4);
}

static const struct measure_config windowed = {
    .rel_ci = 0, .min_samples = 6, .max_samples = 12, .max_time_s = 1e4, .max_warmup_s = 0};

/* Clocks that differ by hours do not matter; late starts are counted, not used. */
static void late_iterations_do_not_count(void **state) {
    (void)state;
    struct bad_clock bad = {.offset = 3600.0 * test_world.rank};
    struct stalled stalled = {&bad, 0};
    const struct clock clock = {bad_now, &bad};
    struct measure_config config = windowed;
    config.sync = sync_table[1] /* window */;
    config.clock = &clock;
    config.late_s = tolerance_s;
    const struct measure_variant v = {prepare_stall, short_work, &stalled, 1};
    struct measurement m;
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_int_equal(m.time.n, 12);
    assert_true(m.invalid >= 5); /* more if the machine stalls ranks, too */
    for (size_t i = 0; i < m.time.n; i++)
        assert_true(m.samples[i] >= 1e-4 && m.samples[i] < 1800);
    assert_true(m.clock_error_s >= 0);
    double same[2] = {(double)m.invalid, (double)-m.invalid};
    group_max(&test_world, same, 2);
    assert_true(same[0] == -same[1]);
    measurement_free(&m);
}

/* When hardly any iteration starts in time there is no result, and that is said: after a hundred
 * tries, or when the time is over. */
static void too_many_late_ones_are_inconclusive(void **state) {
    (void)state;
    struct bad_clock bad = {0};
    const struct clock clock = {bad_now, &bad};
    struct measure_config config = windowed;
    config.sync = sync_table[1] /* window */;
    config.clock = &clock;
    config.late_s = 1e-12; /* nobody is that punctual */
    config.max_time_s = 1;
    const struct measure_variant v = {NULL, short_work, NULL, 1};
    struct measurement m;
    log_set_rank(test_world.rank, 1);
    struct capture said;
    capture_begin(&said);
    const enum status st = measure(&test_world, &trace, &config, &v, 1, &m);
    capture_end(&said);
    assert_int_equal(st, ST_INCONCLUSIVE);
    assert_true(test_world.rank > 0 || strstr(said.text, "were begun late"));
    measurement_free(&m);
}

static void a_barrier_has_no_invalid_ones(void **state) {
    (void)state;
    struct measurement m;
    struct measure_config config = windowed;
    config.sync = sync_table[0] /* barrier */;
    const struct measure_variant v = {NULL, short_work, NULL, 1};
    assert_int_equal(measure(&test_world, &trace, &config, &v, 1, &m), ST_OK);
    assert_int_equal(m.invalid, -1);
    assert_true(isnan(m.clock_error_s));
    measurement_free(&m);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_slowest_rank_counts),
        cmocka_unit_test(variants_are_interleaved),
        cmocka_unit_test(there_may_be_many_variants),
        cmocka_unit_test(one_rank_without_memory_ends_all),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(others_preparations_do_not_count),
        cmocka_unit_test(the_first_of_a_crowd_starts_for_all),
        cmocka_unit_test(late_iterations_do_not_count),
        cmocka_unit_test(too_many_late_ones_are_inconclusive),
        cmocka_unit_test(a_barrier_has_no_invalid_ones),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
