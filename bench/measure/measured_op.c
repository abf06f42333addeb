#include "bench/measure/measured_op.h"

#include "comm/copy/bound.h"

/* Runs that bring data back into the caches: victim caches need more than one. */
enum { SETTLING = 3 };

/* A variant that runs in turn with the operation: a copy that bounds it. */
struct measured_copy {
    struct copy_bound bound;
    copy_rows_fn *way;
    struct measured_op *op;
};

enum { OPERATION, COPIES, VARIANTS = COPIES + COPY_BOUND_WAYS };

void measured_op_run(void *arg) {
    struct measured_op *m = arg;
    trace_begin(m->trace, PHASE_EXCHANGE);
    op_run(&m->copies[m->next]);
    trace_end(m->trace);
}

/* Before every iteration. */
static void turn(void *arg) {
    struct measured_op *m = arg;
    for (int i = 0; m->settles && m->displaced && i < SETTLING; i++)
        measured_op_run(m);
    m->displaced = false;
    m->next = (m->next + 1) % m->n;
}

static void run_copy(void *arg) {
    const struct measured_copy *c = arg;
    copy_bound_run(&c->bound, c->way);
    c->op->displaced = true;
}

static void settle_copy(void *arg) {
    const struct measured_copy *c = arg;
    for (int i = 0; c->op->settles && i < SETTLING; i++)
        run_copy(arg);
}

static void close_copies(struct measured_copy copies[COPY_BOUND_WAYS]) {
    for (int w = 0; w < COPY_BOUND_WAYS; w++)
        copy_bound_close(&copies[w].bound);
}

/* Returns how many copies there are: none where a rank has no memory for them. */
static int open_copies(struct measured_op *m, const struct group *world, size_t bytes, int pieces,
                       struct measured_copy copies[COPY_BOUND_WAYS]) {
    double missing = bytes == 0;
    for (int w = 0; w < COPY_BOUND_WAYS && missing == 0; w++) {
        copies[w] = (struct measured_copy){.way = copy_bound_way(w), .op = m};
        missing = !copy_bound_open(bytes, pieces, &copies[w].bound);
    }
    group_max(world, &missing, 1);
    if (missing == 0)
        return COPY_BOUND_WAYS;
    close_copies(copies);
    return 0;
}

enum status measured_op_measure(struct measured_op *m, const struct group *world,
                                const struct measure_config *config, size_t bound_bytes, int pieces,
                                struct measurement *out, double *copy_s) {
    static const double share = 0.1; /* of the time, for each copy, warmed up before */
    struct measured_copy copies[COPY_BOUND_WAYS] = {0};
    struct measure_variant variants[VARIANTS] = {
        [OPERATION] = {.prepare = turn, .run = measured_op_run, .arg = m}};
    struct measurement times[VARIANTS] = {0};
    const int n = COPIES + open_copies(m, world, bound_bytes, pieces, copies);
    for (int v = COPIES; v < n; v++)
        variants[v] = (struct measure_variant){.prepare = settle_copy,
                                               .run = run_copy,
                                               .arg = &copies[v - COPIES],
                                               .least = m->settles ? 25 : 5,
                                               .share = share};
    const enum status st = measure(world, m->trace, config, variants, n, times);
    close_copies(copies);
    *copy_s = 0;
    for (int v = COPIES; v < n; v++) {
        if (st == ST_OK && (*copy_s == 0 || times[v].time.median < *copy_s))
            *copy_s = times[v].time.median;
        measurement_free(&times[v]);
    }
    *out = times[OPERATION];
    return st;
}
