/* Made-up records with realistic numbers: what tests of reports and pictures read. */
#ifndef SPB_TESTS_RESULTS_SYNTHETIC_H
#define SPB_TESTS_RESULTS_SYNTHETIC_H

#include <jansson.h>

/* How an attention record is made up; zero fields get defaults. */
struct synthetic_attn {
    const char *method; /* "ulysses", "ring", "local" */
    int sp, seq;
    double time_s;     /* median; 0: from a cost model */
    double spread;     /* samples lie within +- this fraction; 0: 1% */
    int samples;       /* 0: 12 */
    double comm;       /* share of the time that its exchange takes; 0: 10% */
    const char *model; /* NULL: "llama-3.1-8b" */
    const char *pass;  /* NULL: "fwdbwd" */
    int wrong, no_phases, no_exposed;
    double gemm_tflops; /* 0: not measured */
};

/* A finished attn record, owned by the caller. */
json_t *synthetic_attn(const struct synthetic_attn *spec);

/* A finished comm record of an exchange: time = 5 us + bytes / (gb_s 10^9). */
json_t *synthetic_comm(const char *op, const char *algo, int ranks, long long bytes, double gb_s);

#endif
