/* What was measured of an attention layer, and the record that is made of it. */
#ifndef SPB_BENCH_RECORD_ATTN_H
#define SPB_BENCH_RECORD_ATTN_H

#include <jansson.h>

#include "attn/check/check.h"
#include "bench/cases/attn_case.h"
#include "bench/record/case.h"

/* The layer, without exchanges, its exchanges alone, and the bound; interleaved. */
enum attn_variant { ATTN_WHOLE, ATTN_COMPUTE, ATTN_COMM, ATTN_GEMM, ATTN_VARIANTS };

/* What was counted and found, over all ranks. */
struct attn_outcome {
    uint64_t sent, param_sent;
    bool checked;
    struct check_report check;
    double balance; /* 0: not measured */
    double work_balance;
    const struct link_rates *rates; /* NULL: none */
    double predicted_s;             /* of the exchanges alone; NAN: not predicted */
    struct peaks peaks;
    struct {
        uint64_t total, category[MEM_CATEGORIES];
    } memory; /* by formula, the maximum over ranks per value */
    struct measurement times[ATTN_VARIANTS];
    double gemm_flops; /* of one run of the bound, on one rank */
    bool exchanges;    /* COMPUTE and COMM were measured: there is something to leave out */
};

/* The record of the case, in want of its name. algorithm: as in case_record_setup(). The caller
 * owns it.
 */
json_t *attn_record(const struct session *s, const struct case_setup *setup,
                    const struct attn_case *c, const struct compute *compute,
                    const struct attn_outcome *out, const char *algorithm);

#endif
