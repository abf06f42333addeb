#include "comm/transport/mpi/choice.h"

#include <math.h>
#include <stdlib.h>

#include "comm/ranks/communicator.h"
#include "comm/transport/mpi/scratch.h"

enum { ROUNDS_MIN = 3, ROUNDS_MAX = 10 };
static const double TRIAL_S = 0.02; /* of one algorithm, if ROUNDS_MIN exchanges fit into it */

struct mpi_choice {
    uint64_t key;
    int row; /* of the algorithms */
};

void mpi_choices_free(struct mpi_choices *choices) {
    free(choices->v);
    *choices = (struct mpi_choices){0};
}

/* FNV-1a over whole words. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    return (hash ^ word) * UINT64_C(1099511628211);
}

/* What this rank does in the plan, whatever its buffers are. */
static uint64_t key_of(const struct plan_spec *spec) {
    uint64_t hash =
        mix(UINT64_C(14695981039346656037), (uint64_t)MPI_Comm_c2f(group_comm(spec->group)));
    for (int side = 0; side < 2; side++) {
        const struct block *blocks = side ? spec->recv : spec->send;
        const size_t n = side ? spec->n_recv : spec->n_send;
        hash = mix(hash, n);
        for (size_t i = 0; i < n; i++) {
            const struct block *b = &blocks[i];
            const uint64_t words[] = {(uint64_t)b->peer, b->offset, b->rows, b->row_bytes,
                                      b->stride};
            for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
                hash = mix(hash, words[k]);
        }
    }
    return hash;
}

static struct mpi_choice *find(struct mpi_choices *choices, uint64_t key) {
    for (size_t i = 0; i < choices->n; i++)
        if (choices->v[i].key == key)
            return &choices->v[i];
    return NULL;
}

static void remember(struct mpi_choices *choices, uint64_t key, int row) {
    struct mpi_choice *known = find(choices, key);
    if (!known && choices->n == choices->room) {
        const size_t room = choices->room ? 2 * choices->room : 16;
        struct mpi_choice *v = realloc(choices->v, room * sizeof *v);
        if (!v)
            return; /* another trial, then */
        choices->v = v;
        choices->room = room;
    }
    if (!known)
        known = &choices->v[choices->n++];
    *known = (struct mpi_choice){key, row};
}

/* The row that all ranks remember, -1 if they do not or not the same one: a rank may do the same in
 * two plans in which others do not. */
static int recall(struct mpi_choices *choices, const struct plan_spec *spec, uint64_t key) {
    const struct mpi_choice *known = find(choices, key);
    const double row = known ? known->row : -1;
    double x[2] = {row, -row};
    group_max(spec->group, x, 2);
    return x[0] == -x[1] ? (int)x[0] : -1;
}

/* Whether the i-th algorithm is worth a trial; the first carries out everything. */
static bool worth_trying(const struct mpi_choices *choices, int i, const struct plan_spec *spec,
                         const struct plan_traits *traits) {
    const struct mpi_algorithm *a = choices->algorithms[i];
    const bool able = (traits->dense || !a->needs_every_peer) &&
                      (a->most_bytes == 0 || traits->bytes <= (double)a->most_bytes);
    return i == 0 || (able && (traits->strided || !a->for_strided) && spec->group->size > 1);
}

static double run_once(struct plan *plan, const struct group *group) {
    group_barrier(group);
    const double start = clock_s();
    plan_run(plan);
    return clock_s() - start;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of the slowest rank's seconds; INFINITY where the algorithm could not be set up. */
static double try_out(struct transport *t, const struct plan_spec *spec,
                      const struct plan_traits *traits, const struct mpi_algorithm *algorithm) {
    struct plan *plan;
    if (mpi_plan_build(t, spec, algorithm, traits, &plan) != ST_OK)
        return INFINITY;
    run_once(plan, spec->group); /* connections, caches */
    double once = run_once(plan, spec->group);
    group_max(spec->group, &once, 1);
    const double fit = TRIAL_S / (once + 1e-9);
    const int n = fit < ROUNDS_MIN ? ROUNDS_MIN : fit > ROUNDS_MAX ? ROUNDS_MAX : (int)fit;
    double times[ROUNDS_MAX];
    for (int i = 0; i < n; i++)
        times[i] = run_once(plan, spec->group);
    plan_free(plan);
    group_max(spec->group, times, n);
    qsort(times, (size_t)n, sizeof times[0], by_value);
    return times[n / 2];
}

/* Every rank needs its stand-in, and room for packed copies of all of it; ranks of one host take
 * from the same memory. */
static bool prepare(struct scratch *scratch, const struct plan_spec *spec) {
    bool ok = scratch_plan(scratch, spec);
    const double needed = 2.0 * (double)scratch->bytes * spec->group->size;
    const double available = (double)mem_available();
    ok = ok && (available == 0 || needed < available / 2);
    if (group_agree(spec->group, ok ? ST_OK : ST_ENV) != ST_OK)
        return false;
    return group_agree(spec->group, scratch_fill(scratch) ? ST_OK : ST_ENV) == ST_OK;
}

const struct mpi_algorithm *mpi_choose(struct mpi_choices *choices, const struct transport *t,
                                       const struct plan_spec *spec,
                                       const struct plan_traits *traits) {
    const struct mpi_algorithm *const *algorithms = choices->algorithms;
    int n = 0;
    for (int i = 0; algorithms[i]; i++)
        n += worth_trying(choices, i, spec, traits);
    if (n == 1)
        return algorithms[0];
    const uint64_t key = key_of(spec);
    int best = recall(choices, spec, key);
    if (best >= 0)
        return algorithms[best];

    struct scratch scratch;
    struct trace trace = {0};
    struct transport apart = *t;
    apart.ledger = &scratch.ledger;
    apart.trace = &trace;
    best = 0;
    if (prepare(&scratch, spec)) {
        double least = INFINITY;
        for (int i = 0; algorithms[i]; i++) {
            if (!worth_trying(choices, i, spec, traits))
                continue;
            const double time = try_out(&apart, &scratch.spec, traits, algorithms[i]);
            if (time < least) {
                least = time;
                best = i;
            }
        }
        remember(choices, key, best);
    }
    scratch_free(&scratch);
    return algorithms[best];
}
