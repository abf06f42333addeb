/* One case of `spbench comm` but pairs, resolved from its options. Pure. */
#ifndef SPB_BENCH_CASES_COMM_CASE_H
#define SPB_BENCH_CASES_COMM_CASE_H

#include "bench/cases/cases.h"
#include "bench/cases/grid_shape.h"
#include "bench/cases/model_shape.h"
#include "comm/op/op.h"
#include "comm/shape/staging.h"

struct comm_case {
    struct grid_shape grid;
    const struct op_row *row;
    enum op_pass pass;
    struct op_params params;
    struct model_shape shape;       /* by shape */
    struct staging one_host, apart; /* all ranks on one host, and on one each */
    bool cold;
};

/* resolve() of bench/cases/cases.h; out is a struct comm_case. */
enum status comm_case_resolve(const struct case_source *from, struct options *options, void *out,
                              char *why, size_t why_size);

/* Whether the type that dK and dV have on the way changes what is sent. */
bool comm_case_gradients_travel(const struct comm_case *c);

#endif
