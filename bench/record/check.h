/* What a checked layer puts into its record. */
#ifndef SPB_BENCH_RECORD_CHECK_H
#define SPB_BENCH_RECORD_CHECK_H

#include <jansson.h>

#include "attn/check/check.h"

/* "check": whether the layer is right, and the errors of every tensor that was compared by row. */
void check_record(const struct check_report *report, json_t *record);

#endif
