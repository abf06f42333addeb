/* Options of comm that some operations have and others have not: how Q, K and V are exchanged,
 * which way a ring turns, how usp splits its ranks. */
#ifndef SPB_BENCH_CASES_COMM_OPTIONS_H
#define SPB_BENCH_CASES_COMM_OPTIONS_H

#include <jansson.h>

#include "bench/options/sweep.h"
#include "comm/op/op.h"

/* Completes params, whose shape has its sp_size and, where there is one, its heads. */
void comm_options_resolve(const struct sweep *sweep, size_t i, const struct op_row *row,
                          struct op_params *params);

/* comes_to() of bench/cases/cases.h for an operation of these parts: what it has not makes no
 * difference to it, nor does an order of ranks where there is but one. params: NULL for one that
 * has none of these options. */
bool comm_options_come_to(unsigned parts, const struct op_params *params, const char *key,
                          char *out, size_t size);

/* Those that the operation has, ulysses_size and ring_size where it splits ranks into them, and
 * head_shares where ranks have different numbers of heads. */
void comm_options_record(const struct op_row *row, const struct op_params *params, json_t *record);

/* The heads of each rank as a line, where they differ; else "". */
void comm_options_shares(const struct op_row *row, const struct op_params *params, char *out,
                         size_t size);

#endif
