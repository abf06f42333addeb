/* Layers over a group of ranks, for the tests of SP methods, layer and check. */
#ifndef SPB_TESTS_ATTN_METHOD_SP_CASE_H
#define SPB_TESTS_ATTN_METHOD_SP_CASE_H

#include "attn/check/check.h"
#include "attn/compute/cpu/cpu.h"
#include "attn/formula/method.h"
#include "tests/mpi_test.h"

/* A layer with everything that it borrows. */
struct run {
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *transport;
    struct compute *compute;
    struct process_grid grid;
    struct layer layer;
    struct staging_rule staging; /* transport_staging() of its exchange */
    uint64_t host_keys[16];
};

/* Of an exchange, as run_open() takes it. */
int ranks_per_host(const char *exchange, int ranks);

/* Everything but the layer. Collective over world. exchange: an algorithm of the mpi transport,
 * "pull", which is shm, or "hybrid:N" with hosts that are pretended, of N ranks each. */
void run_prepare(struct run *r, const struct problem *p, struct group *world, const char *exchange);

/* The same with the layer. wrap, if any, puts another transport around it. */
void run_open(struct run *r, const struct problem *p, const struct sp_method *method,
              struct group *world, const char *exchange,
              struct transport *(*wrap)(struct transport *inner));
/* Also asserts that all memory was given back. */
void run_close(struct run *r);

/* The measured pass, once. */
void run_pass(struct run *r);

/* Ledger peaks against predict_memory(), every category, with what is known of the exchanges once
 * they are planned, or beforehand (NULL). */
bool memory_is_predicted(const struct run *r, const struct algorithm_list *planned, char *why,
                         size_t why_size);

#endif
