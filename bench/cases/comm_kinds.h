/* The kinds of cases that `spbench comm` has, by the name of their operation. */
#ifndef SPB_BENCH_CASES_COMM_KINDS_H
#define SPB_BENCH_CASES_COMM_KINDS_H

#include "bench/cases/cases.h"

extern const struct case_kind exchange_cases; /* every row of op_table: bench/commands/comm.c */
extern const struct case_kind pair_cases;     /* pairs of ranks: bench/commands/pairs.c */

/* Name and help of the i-th operation, NULL past the last one: those of op_table, then pairs. */
const char *comm_op_name(size_t i);
const char *comm_op_help(size_t i);

#endif
