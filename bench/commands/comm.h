/* The kinds of cases that `spbench comm` has, by their operation. */
#ifndef SPB_BENCH_COMMANDS_COMM_H
#define SPB_BENCH_COMMANDS_COMM_H

#include "bench/cases/cases.h"

extern const struct case_kind exchange_cases; /* every row of op_table */
extern const struct case_kind pair_cases;     /* pairs of ranks */

/* The i-th operation, NULL past the last one: those of op_table, then what is no exchange of a
 * group and has nothing but a name and help. */
const struct op_row *comm_op(size_t i);

#endif
