/* An operation of `spbench comm` as the engine measures it: copies of it that take turns, beside
 * the contiguous copies of memory that bound it. */
#ifndef SPB_BENCH_MEASURE_MEASURED_OP_H
#define SPB_BENCH_MEASURE_MEASURED_OP_H

#include "bench/measure/measure.h"
#include "comm/op/op.h"

struct measured_op {
    struct op *copies; /* [n], more than one for a cold cache; the caller's */
    int n, next;
    struct trace *trace;
    bool settles;   /* it fits into the caches, warm: they are as its own runs leave them */
    bool displaced; /* something else has run since, and taken its place there */
};

/* Runs the copy whose turn it is. arg: a struct measured_op. */
void measured_op_run(void *arg);

/* Measures it, and in turn with it plain and streaming copies of bound_bytes in pieces (0: none).
 * *copy_s: the faster one's median time; 0 without a bound. Collective over world; *out is freed by
 * measurement_free(). */
enum status measured_op_measure(struct measured_op *m, const struct group *world,
                                const struct measure_config *config, size_t bound_bytes, int pieces,
                                struct measurement *out, double *copy_s);

#endif
